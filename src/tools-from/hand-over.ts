import type { JsonSchema } from '../protocol/json.ts'
import { isRecord } from '../lib/is-record.ts'
import type { AnyFunction, CallableOptions } from './callable.ts'
import { objectSchema, type Parameter, type Signature } from './infer/read-signature.ts'
import { looksMinified } from './infer/minified.ts'

/** How an input becomes arguments. A null name stands for a parameter that gets `undefined`. */
export type HandOver =
  | { readonly kind: 'object' }
  | {
      readonly kind: 'arguments'
      readonly names: readonly (string | null)[]
      /** True if the last value is an array whose items are separate arguments, as for a rest parameter. */
      readonly spreads: boolean
    }

/** Reason why the method can't become a tool as it is, for the developer. */
export interface Problem {
  readonly problem: string
}

export interface Inferred {
  /** Missing if the function takes no parameters. */
  readonly inputSchema?: JsonSchema
  readonly handOver: HandOver
}

const NOTHING: HandOver = { kind: 'arguments', names: [], spreads: false }

/** Infers the schema and the arguments from the function's source text alone. */
export function inferInput(signature: Signature): Inferred | Problem {
  if (signature.kind !== 'function')
    return {
      problem: 'its parameters can’t be read (native, bound, proxied or unusual)',
    }
  const { parameters } = signature
  const [first] = parameters
  if (!first) return { handOver: NOTHING }
  if (isDestructured(first)) {
    const others = parameters.slice(1)
    return others.every(({ isOptional }) => isOptional)
      ? { inputSchema: first.schema, handOver: { kind: 'object' } }
      : { problem: 'it takes more than its destructured first parameter' }
  }
  const nameless = parameters.findIndex(({ name, isOptional }) => !name && !isOptional)
  if (nameless >= 0) return { problem: `its parameter ${nameless + 1} has no name` }
  return {
    inputSchema: objectSchema(parameters),
    handOver: byNames(
      parameters.map(({ name }) => name ?? null),
      parameters,
    ),
  }
}

/** Decides how an input with an explicit schema is passed to the function. */
export function handOverOf(
  schema: JsonSchema,
  signature: Signature,
  pass: CallableOptions['pass'],
): HandOver | Problem {
  const parameters = signature.kind === 'function' ? signature.parameters : undefined
  if (pass === 'object') return { kind: 'object' }
  if (pass) {
    const unknown = isRecord(schema.properties)
      ? pass.find((name) => !Object.hasOwn(schema.properties as object, name))
      : undefined
    return unknown === undefined
      ? byNames(pass, parameters)
      : { problem: `pass names ${unknown}, which its schema doesn't have` }
  }
  const [first] = parameters ?? []
  if (first && isDestructured(first)) return { kind: 'object' }
  if (!isRecord(schema.properties))
    return parameters?.length !== 0
      ? { problem: `its schema lists no properties: ${SAY_PASS}` }
      : NOTHING
  const names = Object.keys(schema.properties)
  if (parameters && names.length > parameters.length && !parameters.at(-1)?.isRest)
    return {
      problem: `it has ${parameters.length} parameters, its schema ${names.length} properties: ${SAY_PASS}`,
    }
  // Minified names say nothing about the order, so they are left out of this check.
  const moved = parameters?.find(
    ({ name = '' }, at) => names.includes(name) && !looksMinified([name]) && names[at] !== name,
  )
  if (moved)
    return {
      problem: `its schema lists ${moved.name} in another place than its parameters do: use the same order, or ${SAY_PASS}`,
    }
  return byNames(names, parameters)
}

const SAY_PASS = "say how the input is handed over with pass: 'object', or pass: [names]"

export function callWith(
  fn: AnyFunction,
  target: object,
  { handOver, input }: { readonly handOver: HandOver; readonly input: unknown },
): unknown {
  if (handOver.kind === 'object') return Reflect.apply(fn, target, [input] as never[])
  const { names, spreads } = handOver
  const given = isRecord(input) ? input : {}
  const has = (name: string | null): name is string => name !== null && Object.hasOwn(given, name)
  // Ends at the last property that the input has: the function may read `arguments.length`.
  const taken = names.slice(0, names.findLastIndex(has) + 1)
  const values = taken.map((name) => (has(name) ? given[name] : undefined))
  const last: unknown = spreads && taken.length === names.length ? values.pop() : undefined
  const rest = last === undefined ? [] : Array.isArray(last) ? last : [last]
  return Reflect.apply(fn, target, [...values, ...rest] as never[])
}

function byNames(
  names: readonly (string | null)[],
  parameters: readonly Parameter[] | undefined,
): HandOver {
  const spreads = parameters?.at(-1)?.isRest === true && names.length === parameters.length
  return { kind: 'arguments', names, spreads }
}

function isDestructured({ name, schema, isRest }: Parameter): boolean {
  return name === undefined && !isRest && schema.type === 'object'
}
