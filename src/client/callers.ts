import { pageWide } from '../lib/page-wide.ts'

/** Id of the calling agent, by the signal of the tool's execution. All copies of the package share the map. */
export const callers: WeakMap<AbortSignal, string> = pageWide('callers', () => new WeakMap())
