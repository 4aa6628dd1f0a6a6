import { describeThrown, OffstageError } from '../protocol/error.ts'
import { badConfig } from '../client/failures.ts'
import type { AnyFunction } from './callable.ts'
import { isNative, textOf } from './infer/read-signature.ts'

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
  for (let depth = 0; owner && owner !== Object.prototype; depth++) {
    if (depth === MAX_CHAIN) throw badConfig('toolsFrom() found no end of the prototypes.')
    const maker = classOf(owner)
    const isPlatform = owner !== target && maker !== undefined && isNative(maker)
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
  return descriptor?.get && isBinding(descriptor.get)
    ? descriptor.get.call(owner)
    : descriptor?.value
}

/**
 * Bundlers make a module's namespace of functions that read one variable each. They can do nothing else,
 * as their text shows.
 */
function isBinding(get: () => unknown): boolean {
  const text = textOf(get).replace(/\/\*[^*]*\*\//g, '')
  const name = String.raw`[\p{ID_Start}$_][\p{ID_Continue}$]*`
  return [
    // Rolldown, esbuild, webpack, Parcel
    String.raw`\(\)\s*=>\s*\(?\s*NAME(?:\.NAME)*\s*\)?`,
    // Babel, TypeScript
    String.raw`function\s*\(\)\s*\{\s*return\s+NAME(?:\.NAME)*;?\s*\}`,
    // Vite for servers, Vitest
    String.raw`\(\)\s*=>\s*\{\s*try\s*\{\s*return\s+NAME;?\s*\}\s*catch\s*\{\s*\}\s*\}`,
    // Rollup
    String.raw`get NAME\s*\(\)\s*\{\s*return\s+NAME;?\s*\}`,
  ].some((shape) => new RegExp(`^${shape.replaceAll('NAME', name)}$`, 'u').test(text))
}

function classOf(owner: object): object | undefined {
  const maker: unknown = Object.getOwnPropertyDescriptor(owner, 'constructor')?.value
  return typeof maker === 'function' ? maker : undefined
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
