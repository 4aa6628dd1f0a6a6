import { OffstageError } from '../../protocol/error.ts'
import { badConfig } from '../../client/api/failures.ts'
import { type PreparedTool, prepareTool, toJsonSchema } from '../../client/tools/prepare-tool.ts'
import type { Tool } from '../../client/tools/tool.ts'
import {
  checkOptions,
  choose,
  type ChosenMethod,
  type ToolsFromOptions,
  findMethods,
} from './methods.ts'
import {
  looksMinified,
  objectSchema,
  type Parameter,
  type Signature,
} from './infer/read-signature.ts'
import type { JsonSchema } from '../../protocol/json.ts'
import { isRecord } from '../../lib/is-record.ts'
import type { AnyFunction, CallableOptions } from './callable.ts'

/** Maximum number of methods in an error, because `window` has hundreds. */
const MAX_LISTED = 20

/**
 * Tools that call the app's own functions: the methods of an object and its classes, a module's exported functions, the
 * static methods of a class, one function, or a list of functions with names. Throws `invalid-config`,
 * `duplicate-tool`, `schema-invalid` or `schema-unsupported`.
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

/** Throws one error with the names of all methods without a usable schema. */
function checkReadable(chosen: readonly ChosenMethod[]): void {
  const isMinified = looksMinified(chosen.flatMap(positional))
  const withoutSchema = chosen.filter(
    ({ callableOptions }) => !callableOptions.inputSchema && !callableOptions.jsonSchema,
  )
  const unreadable = withoutSchema.flatMap(({ name, signature }) => {
    const inferred = inferInput(signature)
    return 'problem' in inferred ? `${name}: ${inferred.problem}` : []
  })
  const minified = isMinified ? withoutSchema.filter((each) => positional(each).length > 0) : []
  if (minified.length) warnOnce()
  const minifiedProblems = minified.map(
    (each) => `${each.name}: its parameters (${positional(each).join(', ')}) look minified`,
  )
  const problems = [...unreadable, ...minifiedProblems]
  if (problems.length)
    throw badConfig(
      `toolsFrom() needs an inputSchema for each of these, in describe, by agentCallable() or in static tools; or exclude them. ${joinProblems(problems)}.`,
    )
}

function joinProblems(problems: readonly string[]): string {
  const more = problems.length - MAX_LISTED
  return problems.slice(0, MAX_LISTED).join('; ') + (more > 0 ? `; and ${more} more` : '')
}

/** Names of positional parameters. Excludes keys of a destructured parameter, which minifiers don't rename. */
function positional({ signature }: ChosenMethod): string[] {
  return signature.kind === 'function' ? signature.parameters.flatMap(({ name }) => name ?? []) : []
}

let isWarned = false

/** Warns on the console, because no agent exists yet to emit the warning. */
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
    const existing = byName.get(entry.modelName)
    if (existing)
      throw new OffstageError(
        'duplicate-tool',
        `The tools ${existing.name} and ${entry.name} both become ${entry.modelName} for the model. Give one another name in describe, or exclude it.`,
      )
    byName.set(entry.modelName, entry)
  }
}

/** Makes a tool that calls a method on its object. The tool is sequential unless annotated `readOnly`. */
function makeTool(chosen: ChosenMethod, target: object, prefix: string): Tool {
  const { pass: _pass, inputSchema: _schema, ...toolFields } = chosen.callableOptions
  const { name = chosen.name, description = describeName(chosen.name), annotations } = toolFields
  const [fn] = chosen.method.functions
  const { handOver, ...input } = inputOf(chosen)
  return {
    ...(!annotations?.readOnly && { sequential: true }),
    ...toolFields,
    ...input,
    name: prefix + name,
    description,
    // `context` is optional because an app's own tests may call the tool without one.
    async execute(callInput, context?) {
      const result = await collectValues(
        callWith(fn, target, { handOver, input: callInput }),
        context?.signal,
      )
      // Returns nothing for a chainable method: its own object would show the model everything in it.
      return result === target ? undefined : result
    },
  }
}

function inputOf(chosen: ChosenMethod): Pick<Tool, 'inputSchema'> & Pick<Inferred, 'handOver'> {
  const { name, callableOptions, signature } = chosen
  const { inputSchema = callableOptions.jsonSchema, pass } = callableOptions
  if (!inputSchema) {
    if (pass) throw badConfig(`pass of the tool ${name} needs an inputSchema beside it.`)
    return throwIfProblem(name, inferInput(signature))
  }
  const schema = toJsonSchema(callableOptions, name)
  return { inputSchema, handOver: throwIfProblem(name, handOverOf(schema, signature, pass)) }
}

function throwIfProblem<Result extends object>(name: string, result: Result | Problem): Result {
  if ('problem' in result)
    throw badConfig(`toolsFrom() can't pass an input to ${name}: ${result.problem}.`)
  return result
}

/** Converts a name to words: `addToCart` becomes "Add to cart." */
function describeName(name: string): string {
  const words = name
    .replace(/([\p{Ll}\d])(?=\p{Lu})/gu, '$1 ')
    .replace(/[_\s-]+/g, ' ')
    .trim()
    .toLowerCase()
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
}

/** Maximum values read from a generator, which may be endless. */
const MAX_VALUES = 1000

/** Collects a generator's values in a list. Returns anything else unchanged. */
async function collectValues(result: unknown, signal: AbortSignal | undefined): Promise<unknown> {
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

/** How an input becomes arguments. A null name means a parameter that gets `undefined`. */
type ArgumentPassing =
  | { readonly kind: 'object' }
  | {
      readonly kind: 'arguments'
      readonly names: readonly (string | null)[]
      /** True if the last value is an array whose items are separate arguments, as for a rest parameter. */
      readonly spreads: boolean
    }

/** Message for developers: why the method can't become a tool. */
interface Problem {
  readonly problem: string
}

interface Inferred {
  /** Missing if the function takes no parameters. */
  readonly inputSchema?: JsonSchema
  readonly handOver: ArgumentPassing
}

const NO_ARGUMENTS: ArgumentPassing = { kind: 'arguments', names: [], spreads: false }

/** Infers the schema and the arguments from the function's source text alone. */
function inferInput(signature: Signature): Inferred | Problem {
  if (signature.kind !== 'function')
    return {
      problem: 'its parameters can’t be read (native, bound, proxied or unusual)',
    }
  const { parameters } = signature
  const [first] = parameters
  if (!first) return { handOver: NO_ARGUMENTS }
  if (isDestructured(first)) {
    const otherParameters = parameters.slice(1)
    return otherParameters.every(({ isOptional }) => isOptional)
      ? { inputSchema: first.schema, handOver: { kind: 'object' } }
      : { problem: 'it takes more than its destructured first parameter' }
  }
  const nameless = parameters.findIndex(({ name, isOptional }) => !name && !isOptional)
  if (nameless >= 0) return { problem: `its parameter ${nameless + 1} has no name` }
  return {
    inputSchema: objectSchema(parameters),
    handOver: passByName(
      parameters.map(({ name }) => name ?? null),
      parameters,
    ),
  }
}

/** Decides how an input with an explicit schema is passed to the function. */
function handOverOf(
  schema: JsonSchema,
  signature: Signature,
  pass: CallableOptions['pass'],
): ArgumentPassing | Problem {
  const parameters = signature.kind === 'function' ? signature.parameters : undefined
  if (pass === 'object') return { kind: 'object' }
  if (pass) {
    const unknownName = isRecord(schema.properties)
      ? pass.find((name) => !Object.hasOwn(schema.properties as object, name))
      : undefined
    return unknownName === undefined
      ? passByName(pass, parameters)
      : { problem: `pass names ${unknownName}, which its schema doesn't have` }
  }
  const [first] = parameters ?? []
  if (first && isDestructured(first)) return { kind: 'object' }
  if (!isRecord(schema.properties))
    return parameters?.length !== 0
      ? { problem: `its schema lists no properties: ${PASS_HINT}` }
      : NO_ARGUMENTS
  const names = Object.keys(schema.properties)
  if (parameters && names.length > parameters.length && !parameters.at(-1)?.isRest)
    return {
      problem: `it has ${parameters.length} parameters, its schema ${names.length} properties: ${PASS_HINT}`,
    }
  // Skips minified names, which don't reveal the order.
  const moved = parameters?.find(
    ({ name = '' }, at) => names.includes(name) && !looksMinified([name]) && names[at] !== name,
  )
  if (moved)
    return {
      problem: `its schema lists ${moved.name} in another place than its parameters do: use the same order, or ${PASS_HINT}`,
    }
  return passByName(names, parameters)
}

const PASS_HINT = "say how to pass the input with pass: 'object', or pass: [names]"

function callWith(
  fn: AnyFunction,
  target: object,
  { handOver, input }: { readonly handOver: ArgumentPassing; readonly input: unknown },
): unknown {
  if (handOver.kind === 'object') return Reflect.apply(fn, target, [input] as never[])
  const { names, spreads } = handOver
  const fields = isRecord(input) ? input : {}
  const hasField = (name: string | null): name is string =>
    name !== null && Object.hasOwn(fields, name)
  // Ends at the last property in the input, because the function may read `arguments.length`.
  const passed = names.slice(0, names.findLastIndex(hasField) + 1)
  const values = passed.map((name) => (hasField(name) ? fields[name] : undefined))
  const last: unknown = spreads && passed.length === names.length ? values.pop() : undefined
  const restValues = last === undefined ? [] : Array.isArray(last) ? last : [last]
  return Reflect.apply(fn, target, [...values, ...restValues] as never[])
}

function passByName(
  names: readonly (string | null)[],
  parameters: readonly Parameter[] | undefined,
): ArgumentPassing {
  const spreads = parameters?.at(-1)?.isRest === true && names.length === parameters.length
  return { kind: 'arguments', names, spreads }
}

function isDestructured({ name, schema, isRest }: Parameter): boolean {
  return name === undefined && !isRest && schema.type === 'object'
}
