import { badConfig } from '../client/failures.ts'
import { toJsonSchema } from '../client/prepare-tool.ts'
import type { Tool } from '../client/tool.ts'
import type { Chosen } from './choose.ts'
import { drain } from './drain.ts'
import { callWith, handOverOf, type Inferred, inferInput, type Problem } from './hand-over.ts'

/** The tool that calls a method on its object. It counts as a write unless it is said to be none. */
export function makeTool(chosen: Chosen, target: object, prefix: string): Tool {
  const { pass: _pass, inputSchema: _schema, ...said } = chosen.said
  const { name = chosen.name, description = wordsOf(chosen.name), annotations } = said
  const [fn] = chosen.method.functions
  const { handOver, ...input } = inputOf(chosen)
  return {
    ...(!annotations?.readOnly && { sequential: true }),
    ...said,
    ...input,
    name: prefix + name,
    description,
    // Without a context, too: an app's own tests call it like that.
    async execute(given, context?) {
      const result = await drain(callWith(fn, target, { handOver, input: given }), context?.signal)
      // Of a method that can be chained, the model would get all that the object holds.
      return result === target ? undefined : result
    },
  }
}

function inputOf(chosen: Chosen): Pick<Tool, 'inputSchema'> & Pick<Inferred, 'handOver'> {
  const { name, said, signature } = chosen
  const { inputSchema = said.jsonSchema, pass } = said
  if (!inputSchema) {
    if (pass) throw badConfig(`pass of the tool ${name} needs an inputSchema beside it.`)
    return unlessProblem(name, inferInput(signature))
  }
  const schema = toJsonSchema(said, name)
  return { inputSchema, handOver: unlessProblem(name, handOverOf(schema, signature, pass)) }
}

function unlessProblem<Result extends object>(name: string, result: Result | Problem): Result {
  if ('problem' in result)
    throw badConfig(`toolsFrom() can't hand an input to ${name}: ${result.problem}.`)
  return result
}

/** `addToCart`: "Add to cart." */
function wordsOf(name: string): string {
  const words = name
    .replace(/([\p{Ll}\d])(?=\p{Lu})/gu, '$1 ')
    .replace(/[_\s-]+/g, ' ')
    .trim()
    .toLowerCase()
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
}
