import { describeThrown, OffstageError } from '../../protocol/error.ts'
import { badConfig } from '../../client/api/failures.ts'
import { type AnyFunction, type CallableOptions, checkCallable, markOf } from './callable.ts'
import { isNative, readSignature, textOf, type Signature } from './infer/read-signature.ts'
import { lazyPattern } from '../../lib/once.ts'
import { hintAmong } from '../../client/api/check-names.ts'

export interface Method {
  /** The method, followed by the methods that it overrides, nearest class first. */
  readonly functions: [AnyFunction, ...AnyFunction[]]
  /** Inherited from a platform class, like `addEventListener`. */
  readonly isPlatform: boolean
}

export interface Members {
  /** The object that methods get as `this`. */
  readonly target: object
  readonly methods: ReadonlyMap<string, Method>
  /** Names of all properties with string keys, methods or not. */
  readonly names: ReadonlySet<string>
  /** `static tools` of the object's classes, nearest class first. Their keys name instance methods. */
  readonly statics: readonly StaticTools[]
}

export interface StaticTools {
  readonly className: string
  readonly tools: object
}

/** Maximum length of a prototype chain, because a proxy's chain can be endless. */
const MAX_CHAIN = 100

/** Prototypes that end a chain. Every object has their methods. */
const ENDS = new Set<object>([Object.prototype, Function.prototype])

/**
 * Finds the methods of the value passed to `toolsFrom`, along its prototype chain. Reads descriptors only, so no getter
 * runs except a bundler's export getters.
 */
export function findMethods(value: object): Members {
  try {
    return readMembers(withMethods(value))
  } catch (cause) {
    if (OffstageError.is(cause)) throw cause
    throw new OffstageError(
      'invalid-config',
      `toolsFrom() can't read what it was given: ${describeThrown(cause)}`,
      { cause },
    )
  }
}

/** Turns functions into an object's methods, by their names. Returns anything else unchanged. */
function withMethods(value: object): object {
  if (Array.isArray(value)) return methodsByName(value)
  return typeof value === 'function' && !isClass(value) ? methodsByName([value]) : value
}

function methodsByName(functions: readonly unknown[]): object {
  const methods = new Map<string, unknown>()
  for (const fn of functions) {
    if (typeof fn !== 'function' || isClass(fn))
      throw badConfig('A list passed to toolsFrom() may only contain functions.')
    const name = nameOf(fn)?.replace(/^bound /, '')
    if (!name)
      throw badConfig(
        'toolsFrom() got a function without a name. Give it one: toolsFrom({ name: fn }).',
      )
    if (methods.has(name))
      throw new OffstageError('duplicate-tool', `toolsFrom() got two functions called ${name}.`)
    methods.set(name, fn)
  }
  return Object.fromEntries(methods)
}

function isClass(fn: object): boolean {
  return readSignature(fn).kind === 'class'
}

function readMembers(target: object): Members {
  if (typeof target !== 'function' && (typeof target !== 'object' || target === null))
    throw badConfig('toolsFrom() takes an object, a module namespace, a class or functions.')
  const methods = new Map<string, Method>()
  const names = new Set<string>()
  const statics: StaticTools[] = []
  let owner: object | null = target
  let isPlatform = false
  for (let depth = 0; owner && !ENDS.has(owner); depth++) {
    if (depth === MAX_CHAIN) throw badConfig('toolsFrom() found no end of the prototypes.')
    const ownerClass = typeof owner === 'function' ? owner : classOf(owner)
    // Counts everything that a platform class inherits as platform, even if `isPlatformClass` doesn't recognize it.
    isPlatform ||= owner !== target && ownerClass !== undefined && isPlatformClass(ownerClass)
    if (ownerClass && ownerClass !== owner && !isPlatform) statics.push(...staticTools(ownerClass))
    for (const key of Reflect.ownKeys(owner)) {
      if (typeof key === 'symbol') continue
      const value = valueOf(owner, key)
      const nearer = methods.get(key)
      if (typeof value !== 'function') names.add(key)
      else if (nearer) nearer.functions.push(value as AnyFunction)
      // A property of this name on a nearer prototype hides the method, even if it isn't a method.
      else if (!names.has(key)) methods.set(key, { functions: [value as AnyFunction], isPlatform })
      names.add(key)
    }
    owner = Object.getPrototypeOf(owner) as object | null
  }
  return { target, methods, names, statics }
}

function valueOf(owner: object, key: string): unknown {
  const descriptor = Object.getOwnPropertyDescriptor(owner, key)
  return descriptor?.get && isBinding(descriptor.get, owner)
    ? descriptor.get.call(owner)
    : descriptor?.value
}

/** Patterns for an identifier and for a property path such as `exports.name`. */
const NAME = String.raw`(?!this\b)[\p{ID_Start}$_][\p{ID_Continue}$]*`
const PATH = `${NAME}(?:\\.${NAME})*`

/** Matches the getters that bundlers generate for exports. */
const bindingPattern = (expression: string): (() => RegExp) =>
  lazyPattern(() => {
    const forms = [
      // Rolldown, esbuild, webpack, Parcel
      String.raw`\(\)\s*=>\s*\(?\s*${expression}\s*\)?`,
      // Babel, TypeScript
      String.raw`function\s*\(\)\s*\{\s*return\s+${expression};?\s*\}`,
      // Vite for servers, Vitest
      String.raw`\(\)\s*=>\s*\{\s*try\s*\{\s*return\s+${expression};?\s*\}\s*catch\s*\{\s*\}\s*\}`,
      // Rollup
      String.raw`get ${NAME}\s*\(\)\s*\{\s*return\s+${NAME};?\s*\}`,
    ]
    return `^(?:${forms.join('|')})$`
  }, 'u')
const READS_NAME = bindingPattern(NAME)
const READS_PATH = bindingPattern(PATH)

/**
 * Whether a getter only reads one variable, as bundlers generate for exports. Its source text must prove this. Property
 * paths count only in modules, because reading a property elsewhere could run another getter.
 */
function isBinding(get: () => unknown, owner: object): boolean {
  const text = textOf(get).replace(/\/\*[^*]*\*\//g, '')
  return (isModule(owner) ? READS_PATH : READS_NAME)().test(text)
}

function isModule(owner: object): boolean {
  const [tag, flag] = [Symbol.toStringTag, '__esModule'].map(
    (key) => Object.getOwnPropertyDescriptor(owner, key)?.value as unknown,
  )
  return tag === 'Module' || flag === true
}

function classOf(owner: object): object | undefined {
  const ownerClass: unknown = Object.getOwnPropertyDescriptor(owner, 'constructor')?.value
  return typeof ownerClass === 'function' ? ownerClass : undefined
}

/**
 * Whether the platform defines this class. Classes of browsers are native. Some classes of Node are written in
 * JavaScript, but are non-enumerable globals; a script's globals are enumerable.
 */
function isPlatformClass(ownerClass: object): boolean {
  if (isNative(ownerClass)) return true
  const name = nameOf(ownerClass)
  if (name === undefined || !Object.hasOwn(globalThis, name)) return false
  if (Object.prototype.propertyIsEnumerable.call(globalThis, name)) return false
  // Reads the value, because Node defines some globals as getters that create them on first access.
  return Reflect.get(globalThis, name) === ownerClass
}

function nameOf(fn: object): string | undefined {
  const name: unknown = Object.getOwnPropertyDescriptor(fn, 'name')?.value
  return typeof name === 'string' ? name : undefined
}

function staticTools(ownerClass: object): StaticTools[] {
  const descriptor = Object.getOwnPropertyDescriptor(ownerClass, 'tools')
  if (!descriptor) return []
  const { value } = descriptor as { value?: unknown }
  const className = nameOf(ownerClass) || 'the class'
  // Throws, because ignoring invalid `static tools` would silently drop the approvals that they require.
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badConfig(
      `static tools of ${className} must be an object of methods' names, and no getter.`,
    )
  return [{ className, tools: value }]
}

/** Names of methods that TypeScript knows, or any string, because more methods may exist at run time. */
type Name<Target> = (keyof Target & string) | (string & {})

/** Options of `toolsFrom`: which methods become tools, and how. Wrong ones throw `invalid-config`. */
export interface ToolsFromOptions<Target = object> {
  /** Prefix for every name, such as `'cart_'`. Nothing is added in between. */
  readonly prefix?: string
  /** Methods to include. `'marked'`: only marked methods. Default: all except names that begin with `_` or `#`. */
  readonly include?: 'marked' | readonly Name<Target>[] | ((name: string) => boolean)
  /** Methods to leave out: names, or a function that returns true for them. Wins over `include`. Default: none. */
  readonly exclude?: readonly Name<Target>[] | ((name: string) => boolean)
  /** Options by method name. They override marked and inferred options. */
  readonly describe?: { readonly [name: string]: CallableOptions }
}

/** A method that becomes a tool. */
export interface ChosenMethod {
  readonly name: string
  readonly method: Method
  readonly signature: Signature
  /** Merged options from the class's `static tools`, `agentCallable` and `describe`. The last one wins. */
  readonly callableOptions: CallableOptions
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
export function choose(members: Members, options: ToolsFromOptions): ChosenMethod[] {
  checkDescriptions(members, options)
  const { include, exclude, describe = {} } = options
  return [...members.methods].flatMap(([name, method]) => {
    const marks = marksOf(name, method, members.statics)
    const described = Object.hasOwn(describe, name) ? describe[name] : undefined
    const isExplicit = marks.length > 0 || described !== undefined || Array.isArray(include)
    if (!isExplicit && !isPublic(name, method)) return []
    if (include === 'marked' ? !marks.length : include && !matches(include, name)) return []
    if (matches(exclude, name)) return []
    const signature = readSignature(method.functions[0])
    if (signature.kind === 'class' && !isExplicit) return []
    if (signature.kind === 'class') throw badConfig(`${name} is a class, which can't be a tool.`)
    return { name, method, signature, callableOptions: merge([...marks, described ?? {}]) }
  })
}

/**
 * Merges options; later ones override. Undefined fields are skipped: `needsApproval: undefined` must not drop an
 * approval.
 */
function merge(layers: readonly CallableOptions[]): CallableOptions {
  const fields = layers.flatMap((each) => Object.entries(each))
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

function checkDescriptions({ methods, names, statics }: Members, options: ToolsFromOptions): void {
  const { include, exclude, describe = {} } = options
  const methodNames = [...methods.keys()]
  for (const { className, tools } of statics) {
    checkMethods(Object.keys(tools), methodNames, `static tools of ${className}`)
    for (const [name, callableOptions] of Object.entries(tools))
      checkCallable(callableOptions, `${name} in static tools of ${className}`)
  }
  checkMethods(Object.keys(describe), methodNames, 'describe')
  for (const [name, callableOptions] of Object.entries(describe))
    checkCallable(callableOptions, `${name} in describe`)
  if (Array.isArray(include)) checkMethods(include, methodNames, 'include')
  // `exclude` may also name properties that aren't methods.
  if (Array.isArray(exclude)) checkMethods(exclude, [...names], 'exclude')
}

function checkMethods(
  names: readonly unknown[],
  methodNames: readonly string[],
  label: string,
): asserts names is readonly string[] {
  for (const name of names)
    if (!methodNames.includes(name as string))
      throw badConfig(
        `${label} names ${String(name)}, and there is no such method.${methodNames.length ? ` ${hintAmong(String(name), methodNames)}` : ''}`,
      )
}

function matches(filter: ToolsFromOptions['exclude'], name: string): boolean {
  return typeof filter === 'function' ? filter(name) : (filter?.includes(name) ?? false)
}

/**
 * Whether a method is included by default. Excludes platform methods, names on `Object.prototype` such as `toString`,
 * and names with `_` or `#`, which mean private.
 */
function isPublic(name: string, { isPlatform }: Method): boolean {
  return !isPlatform && !/^[_#]/.test(name) && !Object.hasOwn(Object.prototype, name)
}

/**
 * Options that mark a method, lowest priority first. An override inherits the options of the method that it overrides.
 */
function marksOf(
  name: string,
  { functions }: Method,
  statics: Members['statics'],
): CallableOptions[] {
  const staticMarks = statics.flatMap(({ tools }) =>
    Object.hasOwn(tools, name) ? (tools as Record<string, CallableOptions>)[name] : undefined,
  )
  return [...staticMarks.toReversed(), ...functions.map(markOf).toReversed()].filter(
    (each) => each !== undefined,
  )
}
