import { describeThrown, OffstageError } from '../../protocol/error.ts'
import { badConfig } from '../../client/api/failures.ts'
import type { AnyFunction } from './callable.ts'
import { isNative, readSignature, textOf } from './infer/read-signature.ts'
import { lazyPattern } from '../../lib/once.ts'

export interface Method {
  /** The method itself, then those that it overrides, nearest first. */
  readonly functions: [AnyFunction, ...AnyFunction[]]
  /** Inherited from a platform class, like `addEventListener`. */
  readonly isPlatform: boolean
}

export interface Members {
  /** The `this` of the methods. */
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

/** A proxy can have an endless prototype chain. */
const MAX_CHAIN = 100

/** Prototype chains end here. Every object has these methods. */
const ENDS = new Set<object>([Object.prototype, Function.prototype])

/**
 * Finds the methods of the value passed to `toolsFrom`, along its prototype chain. Reads descriptors only, so no getter
 * runs except a bundler's export getters.
 */
export function findMethods(given: object): Members {
  try {
    return readMembers(withMethods(given))
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
function withMethods(given: object): object {
  if (Array.isArray(given)) return byName(given)
  return typeof given === 'function' && !isClass(given) ? byName([given]) : given
}

function byName(functions: readonly unknown[]): object {
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
    const maker = typeof owner === 'function' ? owner : classOf(owner)
    // Everything that a platform class inherits belongs to the platform, even if `isOfPlatform` doesn't recognize it.
    isPlatform ||= owner !== target && maker !== undefined && isOfPlatform(maker)
    if (maker && maker !== owner && !isPlatform) statics.push(...staticTools(maker))
    for (const key of Reflect.ownKeys(owner)) {
      if (typeof key === 'symbol') continue
      const value = valueOf(owner, key)
      const known = methods.get(key)
      if (typeof value !== 'function') names.add(key)
      else if (known) known.functions.push(value as AnyFunction)
      // A nearer property of this name hides the method, even if it isn't a method itself.
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
const bindings = (read: string): (() => RegExp) =>
  lazyPattern(() => {
    const forms = [
      // Rolldown, esbuild, webpack, Parcel
      String.raw`\(\)\s*=>\s*\(?\s*${read}\s*\)?`,
      // Babel, TypeScript
      String.raw`function\s*\(\)\s*\{\s*return\s+${read};?\s*\}`,
      // Vite for servers, Vitest
      String.raw`\(\)\s*=>\s*\{\s*try\s*\{\s*return\s+${read};?\s*\}\s*catch\s*\{\s*\}\s*\}`,
      // Rollup
      String.raw`get ${NAME}\s*\(\)\s*\{\s*return\s+${NAME};?\s*\}`,
    ]
    return `^(?:${forms.join('|')})$`
  }, 'u')
const READS_NAME = bindings(NAME)
const READS_PATH = bindings(PATH)

/**
 * Whether a getter only reads one variable, as bundlers generate for a module's exports. Its text proves that it does
 * nothing else. Reading a property could run another getter, so paths count in modules only.
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
  const maker: unknown = Object.getOwnPropertyDescriptor(owner, 'constructor')?.value
  return typeof maker === 'function' ? maker : undefined
}

/**
 * Whether the platform defines this class. Browsers' classes are native. Some of Node's are written in JavaScript and
 * are recognized as globals: the platform's aren't enumerable, a script's are.
 */
function isOfPlatform(maker: object): boolean {
  if (isNative(maker)) return true
  const name = nameOf(maker)
  if (name === undefined || !Object.hasOwn(globalThis, name)) return false
  if (Object.prototype.propertyIsEnumerable.call(globalThis, name)) return false
  // Node defines some globals as getters that create them on first access.
  return Reflect.get(globalThis, name) === maker
}

function nameOf(fn: object): string | undefined {
  const name: unknown = Object.getOwnPropertyDescriptor(fn, 'name')?.value
  return typeof name === 'string' ? name : undefined
}

function staticTools(maker: object): StaticTools[] {
  const descriptor = Object.getOwnPropertyDescriptor(maker, 'tools')
  if (!descriptor) return []
  const { value } = descriptor as { value?: unknown }
  const className = nameOf(maker) || 'the class'
  // Ignoring invalid `static tools` would silently drop the approvals that they require.
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badConfig(
      `static tools of ${className} must be an object of methods' names, and no getter.`,
    )
  return [{ className, tools: value }]
}
