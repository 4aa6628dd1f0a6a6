import { describeThrown, OffstageError } from '../protocol/error.ts'
import { badConfig } from '../client/failures.ts'
import type { AnyFunction } from './callable.ts'
import { isNative, textOf } from './infer/read-signature.ts'
import { lazyPattern } from '../lib/once.ts'

export interface Method {
  /** The nearest one first, then those that it overrides. */
  readonly functions: [AnyFunction, ...AnyFunction[]]
  /** Inherited from a class of the platform: `addEventListener`. */
  readonly isPlatform: boolean
}

export interface Members {
  readonly methods: ReadonlyMap<string, Method>
  /** Of all properties that have a string for a name. */
  readonly names: ReadonlySet<string>
  /** The `static tools` of the object's classes, the nearest first. */
  readonly statics: readonly StaticTools[]
}

export interface StaticTools {
  readonly className: string
  readonly tools: object
}

/** A proxy can have prototypes without end. */
const MAX_CHAIN = 100

/** An object's methods along its prototypes. Reads descriptors only, so no getter runs. */
export function findMethods(target: object): Members {
  try {
    return readMembers(target)
  } catch (cause) {
    if (OffstageError.is(cause)) throw cause
    throw new OffstageError(
      'invalid-config',
      `toolsFrom() can't read the object's properties: ${describeThrown(cause)}`,
      { cause },
    )
  }
}

function readMembers(target: object): Members {
  if (typeof target !== 'object' || target === null || Array.isArray(target))
    throw badConfig('toolsFrom() takes an object or a module namespace, of a class an instance.')
  const methods = new Map<string, Method>()
  const names = new Set<string>()
  const statics: StaticTools[] = []
  let owner: object | null = target
  let isPlatform = false
  for (let depth = 0; owner && owner !== Object.prototype; depth++) {
    if (depth === MAX_CHAIN) throw badConfig('toolsFrom() found no end of the prototypes.')
    const maker = classOf(owner)
    // What a class of the platform inherits is the platform's, too, whether or not it can be told by itself.
    isPlatform ||= owner !== target && maker !== undefined && isOfPlatform(maker)
    if (maker && !isPlatform) statics.push(...staticTools(maker))
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
  return { methods, names, statics }
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
  const name: unknown = Object.getOwnPropertyDescriptor(maker, 'name')?.value
  if (typeof name !== 'string' || !Object.hasOwn(globalThis, name)) return false
  if (Object.prototype.propertyIsEnumerable.call(globalThis, name)) return false
  // Node makes some of its globals by getters, when they are first asked for.
  return Reflect.get(globalThis, name) === maker
}

function staticTools(maker: object): StaticTools[] {
  const descriptor = Object.getOwnPropertyDescriptor(maker, 'tools')
  if (!descriptor) return []
  const { value } = descriptor as { value?: unknown }
  const name: unknown = Object.getOwnPropertyDescriptor(maker, 'name')?.value
  const className = typeof name === 'string' && name ? name : 'the class'
  // Left out, what they say of approvals would be lost unseen.
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badConfig(
      `static tools of ${className} must be an object of methods' names, and no getter.`,
    )
  return [{ className, tools: value }]
}
