import { pageWide } from '../lib/page-wide.ts'

/** By the signal of an execution: the id of the agent whose call it is, whichever copy of the package made that. */
export const callers: WeakMap<AbortSignal, string> = pageWide('callers', () => new WeakMap())
