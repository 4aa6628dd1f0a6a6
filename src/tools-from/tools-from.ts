import { OffstageError } from '../protocol/error.ts'
import { badConfig } from '../client/failures.ts'
import { type PreparedTool, prepareTool, toJsonSchema } from '../client/prepare-tool.ts'
import type { Tool } from '../client/tool.ts'
import { checkOptions, choose, type Chosen, type ToolsFromOptions } from './choose.ts'
import { findMethods } from './find-methods.ts'
import { callWith, handOverOf, inferInput, type Inferred, type Problem } from './hand-over.ts'
import { looksMinified } from './infer/minified.ts'

/** Most methods that an error lists: `window` has hundreds. */
const MAX_LISTED = 20

/**
 * Tools that call the app's own functions: the methods of an object and of its classes, the functions that a module
 * exports, the static methods of a class, one function, or a list of functions with names.
 * Throws `invalid-config`, `duplicate-tool`, `schema-invalid` or `schema-unsupported`.
 *
 * @example
 * toolsFrom(cart, { include: ['add', 'remove'] })
 * toolsFrom([search, openOrder])
 */
export function toolsFrom<Target extends object>(
  given: Target,
  options: ToolsFromOptions<Target> = {},
): Tool[] {
  checkOptions(options)
  const members = findMethods(given)
  const chosen = choose(members, options)
  if (!chosen.length && typeof members.target === 'function')
    throw badConfig(
      'toolsFrom() found no static methods in the class. To use its instance methods, pass an instance.',
    )
  checkReadable(chosen)
  const tools = chosen.map((each) => makeTool(each, members.target, options.prefix ?? ''))
  checkUnique(tools.map(prepareTool))
  return tools
}

/** Throws a single error that names every method without a usable schema. */
function checkReadable(chosen: readonly Chosen[]): void {
  const isMinified = looksMinified(chosen.flatMap(positional))
  const bare = chosen.filter(({ said }) => !said.inputSchema && !said.jsonSchema)
  const unreadable = bare.flatMap(({ name, signature }) => {
    const inferred = inferInput(signature)
    return 'problem' in inferred ? `${name}: ${inferred.problem}` : []
  })
  const minified = isMinified ? bare.filter((each) => positional(each).length > 0) : []
  if (minified.length) warnOnce()
  const renamed = minified.map(
    (each) => `${each.name}: its parameters (${positional(each).join(', ')}) look minified`,
  )
  const lacking = [...unreadable, ...renamed]
  if (lacking.length)
    throw badConfig(
      `toolsFrom() needs an inputSchema for each of these, in describe, by agentCallable() or in static tools; or exclude them. ${listOf(lacking)}.`,
    )
}

function listOf(lacking: readonly string[]): string {
  const more = lacking.length - MAX_LISTED
  return lacking.slice(0, MAX_LISTED).join('; ') + (more > 0 ? `; and ${more} more` : '')
}

/** Names of positional parameters. Keys of a destructured parameter are excluded: minifiers don't rename them. */
function positional({ signature }: Chosen): string[] {
  return signature.kind === 'function' ? signature.parameters.flatMap(({ name }) => name ?? []) : []
}

let isWarned = false

/** Warns on the console, because no agent exists yet that could emit the warning. */
function warnOnce(): void {
  if (!isWarned)
    console.warn(
      'offstage: toolsFrom() got functions whose parameters look minified. Such names tell a model nothing: in this build, each function with parameters needs an inputSchema.',
    )
  isWarned = true
}

function checkUnique(tools: readonly PreparedTool[]): void {
  const byName = new Map<string, PreparedTool>()
  for (const entry of tools) {
    const present = byName.get(entry.modelName)
    if (present)
      throw new OffstageError(
        'duplicate-tool',
        `The tools ${present.name} and ${entry.name} both become ${entry.modelName} for the model. Give one another name in describe, or exclude it.`,
      )
    byName.set(entry.modelName, entry)
  }
}

/** Makes a tool that calls a method on its object. The tool is sequential unless annotated `readOnly`. */
function makeTool(chosen: Chosen, target: object, prefix: string): Tool {
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
    // `context` is optional because an app's own tests may call the tool without one.
    async execute(given, context?) {
      const result = await drain(callWith(fn, target, { handOver, input: given }), context?.signal)
      // A chainable method returns its own object. Passing that on would show the model everything it holds.
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

/** Most values read from a generator, which may never end. */
const MAX_VALUES = 1000

/** Collects a generator's values in a list. Returns anything else unchanged. */
async function drain(result: unknown, signal: AbortSignal | undefined): Promise<unknown> {
  const value = await result
  if (!isGenerator(value)) return value
  const values: unknown[] = []
  for await (const each of value) {
    values.push(each)
    if (signal?.aborted || values.length === MAX_VALUES) break
  }
  return values
}

function isGenerator(value: unknown): value is AsyncIterable<unknown> {
  return /^\[object (?:Async)?Generator\]$/.test(Object.prototype.toString.call(value))
}
