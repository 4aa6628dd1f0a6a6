import { describeThrown, OffstageError } from '../protocol/error.ts'
import { badConfig } from '../client/failures.ts'
import type { AnyFunction } from './callable.ts'
import { isNative, readSignature, textOf } from './infer/read-signature.ts'
import { lazyPattern } from '../lib/once.ts'

export interface Method {
  /** The nearest one first, then those that it overrides. */
  readonly functions: [AnyFunction, ...AnyFunction[]]
  /** Inherited from a class of the platform: `addEventListener`. */
  readonly isPlatform: boolean
}

export interface Members {
  /** The `this` of the methods. */
  readonly target: object
  readonly methods: ReadonlyMap<string, Method>
  /** Of all properties that have a string for a name. */
  readonly names: ReadonlySet<string>
  /** The `static tools` of an object's classes, the nearest first. They name methods of instances. */
  readonly statics: readonly StaticTools[]
}

export interface StaticTools {
  readonly className: string
  readonly tools: object
}

/** A proxy can have prototypes without end. */
const MAX_CHAIN = 100

/** The ends of prototype chains: every object has their methods. */
const ENDS = new Set<object>([Object.prototype, Function.prototype])

/** The methods of what `toolsFrom` was given, along the prototypes. Reads descriptors only, so no getter runs. */
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

/** Functions become the methods of an object, by their names; all else is as it was given. */
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
    // What a class of the platform inherits is the platform's, too, whether or not it can be told by itself.
    isPlatform ||= owner !== target && maker !== undefined && isOfPlatform(maker)
    if (maker && maker !== owner && !isPlatform) statics.push(...staticTools(maker))
    for (const key of Reflect.ownKeys(owner)) {
      if (typeof key === 'symbol') continue
      const value = valueOf(owner, key)
      const known = methods.get(key)
      if (typeof value !== 'function') names.add(key)
      else if (known) known.functions.push(value as AnyFunction)
      // What stands before it on the way hides it, be it a method or not.
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

/** A name, and what in a module it may be read of. */
const NAME = String.raw`(?!this\b)[\p{ID_Start}$_][\p{ID_Continue}$]*`
const PATH = `${NAME}(?:\\.${NAME})*`

/** What bundlers make of an export. */
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
 * Bundlers make a module's namespace of getters that read one variable each. They can do nothing else, as
 * their text shows; what reads a property could run another getter, unless that is a module's, too.
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
 * Browsers' classes are native. Some of Node's are written in JavaScript: they are known by their place, since what
 * the platform puts on the global object isn't enumerable, and what a script puts there is.
 */
function isOfPlatform(maker: object): boolean {
  if (isNative(maker)) return true
  const name = nameOf(maker)
  if (name === undefined || !Object.hasOwn(globalThis, name)) return false
  if (Object.prototype.propertyIsEnumerable.call(globalThis, name)) return false
  // Node makes some of its globals by getters, when they are first asked for.
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
  // Left out, what they say of approvals would be lost unseen.
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badConfig(
      `static tools of ${className} must be an object of methods' names, and no getter.`,
    )
  return [{ className, tools: value }]
}
