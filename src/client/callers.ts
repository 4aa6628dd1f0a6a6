/** By the signal of an execution: the id of the agent whose call it is. */
export const callers: WeakMap<AbortSignal, string> = new WeakMap()
