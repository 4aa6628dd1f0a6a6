import { faultIn, type Fault, type FaultMessage, isLasting } from './messages.ts'

const activeFaults = new Set<Fault>()
/** Faults whose first effect since they were switched on was reported. */
const reported = new Set<Fault>()

/** Listens to the page, which switches faults on and off. */
export function followFaults(): void {
  addEventListener('message', ({ data }) => {
    const started = faultIn(data, 'on')
    const ended = faultIn(data, 'off')
    if (started) activeFaults.add(started)
    if (ended) activeFaults.delete(ended)
    if (started) reported.delete(started)
  })
}

export function isOn(fault: Fault): boolean {
  return activeFaults.has(fault)
}

/** Reports the fault's first effect to the page. Ends it, unless it lasts. */
export function recordHit(fault: Fault): void {
  if (!isLasting(fault)) activeFaults.delete(fault)
  if (reported.has(fault)) return
  reported.add(fault)
  postMessage(`${fault} hit` satisfies FaultMessage)
}
