/** Faults that the page causes in the worker. */
export const faults = [
  'offline',
  'slow',
  'cut-stream',
  'malformed-call',
  'refuse-tools',
  'storage-full',
] as const
export type Fault = (typeof faults)[number]

/** Messages of the page and its worker, in addition to Offstage's own. The worker says when a fault has hit. */
export type FaultMessage = `${Fault} on` | `${Fault} off` | `${Fault} hit`

/** Reads such a message. Undefined for Offstage's own. */
export function faultIn(data: unknown, state: 'on' | 'off' | 'hit'): Fault | undefined {
  return faults.find((fault) => data === `${fault} ${state}`)
}

/** Whether the fault stays until it is switched off. The others hit the next answer or call only. */
export function isLasting(fault: Fault): boolean {
  return fault !== 'cut-stream' && fault !== 'malformed-call'
}
