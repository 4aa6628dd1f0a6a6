import { badConfig } from '../../client/api/failures.ts'
import { hintAmong } from '../../client/api/check-names.ts'
import { type CallableOptions, checkCallable, markOf } from './callable.ts'
import type { Members, Method } from './find-methods.ts'
import { readSignature, type Signature } from './infer/read-signature.ts'

/** Names of the methods that TypeScript knows, or any string: there may be more methods at run time. */
type Name<Target> = (keyof Target & string) | (string & {})

/** Options of `toolsFrom`: which methods become tools, and how. Wrong ones throw `invalid-config`. */
export interface ToolsFromOptions<Target = object> {
  /** Prepended to every name as it is, such as `'cart_'`. */
  readonly prefix?: string
  /** Methods to include. `'marked'`: only marked methods. Default: all except names that begin with `_` or `#`. */
  readonly include?: 'marked' | readonly Name<Target>[] | ((name: string) => boolean)
  /** Methods to leave out: names, or a function that returns true for them. Wins over `include`. Default: none. */
  readonly exclude?: readonly Name<Target>[] | ((name: string) => boolean)
  /** Options by method name. They win over marked and inferred ones. */
  readonly describe?: { readonly [name: string]: CallableOptions }
}

/** A method that becomes a tool. */
export interface Chosen {
  readonly name: string
  readonly method: Method
  readonly signature: Signature
  /** Merged options from the class's `static tools`, `agentCallable` and `describe`. The last one wins. */
  readonly said: CallableOptions
}

const OPTIONS = ['prefix', 'include', 'exclude', 'describe']

/** Throws `invalid-config` for an unknown option or one of the wrong type. */
export function checkOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null)
    throw badConfig('The options of toolsFrom() must be an object.')
  for (const name of Object.keys(options))
    if (!OPTIONS.includes(name))
      throw badConfig(`toolsFrom() has no ${name}. ${hintAmong(name, OPTIONS)}`)
  const { prefix = '', include = [], exclude = [], describe = {} } = options as ToolsFromOptions
  const isFilter = (filter: unknown): boolean =>
    typeof filter === 'function' || Array.isArray(filter)
  if (typeof prefix !== 'string') throw badConfig('prefix of toolsFrom() must be a string.')
  if (include !== 'marked' && !isFilter(include))
    throw badConfig("include of toolsFrom() must be an array of names, a function or 'marked'.")
  if (!isFilter(exclude))
    throw badConfig('exclude of toolsFrom() must be an array of names or a function.')
  if (typeof describe !== 'object' || describe === null)
    throw badConfig('describe of toolsFrom() must be an object of methods’ names.')
}

/** The methods that become tools. Throws `invalid-config` for a name that no method has. */
export function choose(members: Members, options: ToolsFromOptions): Chosen[] {
  checkSaid(members, options)
  const { include, exclude, describe = {} } = options
  return [...members.methods].flatMap(([name, method]) => {
    const marks = marksOf(name, method, members.statics)
    const own = Object.hasOwn(describe, name) ? describe[name] : undefined
    const isAsked = marks.length > 0 || own !== undefined || Array.isArray(include)
    if (!isAsked && !isPublic(name, method)) return []
    if (include === 'marked' ? !marks.length : include && !has(include, name)) return []
    if (has(exclude, name)) return []
    const signature = readSignature(method.functions[0])
    if (signature.kind === 'class' && !isAsked) return []
    if (signature.kind === 'class') throw badConfig(`${name} is a class, which can't be a tool.`)
    return { name, method, signature, said: merge([...marks, own ?? {}]) }
  })
}

/** Later options win, except undefined fields: `needsApproval: undefined` must not drop an approval. */
function merge(said: readonly CallableOptions[]): CallableOptions {
  const fields = said.flatMap((each) => Object.entries(each))
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

function checkSaid({ methods, names, statics }: Members, options: ToolsFromOptions): void {
  const { include, exclude, describe = {} } = options
  const known = [...methods.keys()]
  for (const { className, tools } of statics) {
    checkMethods(Object.keys(tools), known, `static tools of ${className}`)
    for (const [name, said] of Object.entries(tools))
      checkCallable(said, `${name} in static tools of ${className}`)
  }
  checkMethods(Object.keys(describe), known, 'describe')
  for (const [name, said] of Object.entries(describe)) checkCallable(said, `${name} in describe`)
  if (Array.isArray(include)) checkMethods(include, known, 'include')
  // `exclude` may also name properties that aren't methods.
  if (Array.isArray(exclude)) checkMethods(exclude, [...names], 'exclude')
}

function checkMethods(
  names: readonly unknown[],
  known: readonly string[],
  of: string,
): asserts names is readonly string[] {
  for (const name of names)
    if (!known.includes(name as string))
      throw badConfig(
        `${of} names ${String(name)}, and there is no such method.${known.length ? ` ${hintAmong(String(name), known)}` : ''}`,
      )
}

function has(filter: ToolsFromOptions['exclude'], name: string): boolean {
  return typeof filter === 'function' ? filter(name) : (filter?.includes(name) ?? false)
}

/**
 * Whether a method is included by default. Excludes platform methods, names on `Object.prototype` such as `toString`,
 * and names with `_` or `#`, which mean private.
 */
function isPublic(name: string, { isPlatform }: Method): boolean {
  return !isPlatform && !/^[_#]/.test(name) && !Object.hasOwn(Object.prototype, name)
}

/** Options that mark a method, weakest first. An override inherits those of the method that it overrides. */
function marksOf(
  name: string,
  { functions }: Method,
  statics: Members['statics'],
): CallableOptions[] {
  const said = statics.flatMap(({ tools }) =>
    Object.hasOwn(tools, name) ? (tools as Record<string, CallableOptions>)[name] : undefined,
  )
  return [...said.toReversed(), ...functions.map(markOf).toReversed()].filter(
    (each) => each !== undefined,
  )
}
