import { scriptAddress } from '../lib/script-address.ts'
// oxlint-disable-next-line import/default -- Vite makes it: the address of the worker's file.
import address from './agent-worker.ts?worker&url'
import { faultIn, faults, type Fault, type FaultMessage, isLasting } from './messages.ts'

/** The agent's worker, to be killed or broken while it works. */
export interface DemoWorker {
  /** For `createAgent({ worker })`: the first one, and each that takes the place of a dead one. */
  readonly make: () => Worker
  kill(): void
  setFault(fault: Fault, isOn: boolean): void
  /** Calls back when a fault has its first effect. It is off from then on, unless it lasts. */
  onHit(listener: (fault: Fault) => void): void
}

export function createDemoWorker(): DemoWorker {
  let worker: Worker | undefined
  const activeFaults = new Set<Fault>()
  const listeners = new Set<(fault: Fault) => void>()
  const send = (message: FaultMessage): void => worker?.postMessage(message)
  const onMessage = ({ data }: MessageEvent): void => {
    const fault = faultIn(data, 'hit')
    if (!fault) return
    if (!isLasting(fault)) activeFaults.delete(fault)
    for (const listener of listeners) listener(fault)
  }
  return {
    make() {
      worker = new Worker(scriptAddress(address), { type: 'module' })
      worker.addEventListener('message', onMessage)
      for (const fault of faults) if (activeFaults.has(fault)) send(`${fault} on`)
      return worker
    },
    kill: () => worker?.terminate(),
    setFault(fault, isOn) {
      if (isOn) activeFaults.add(fault)
      else activeFaults.delete(fault)
      send(`${fault} ${isOn ? 'on' : 'off'}`)
    },
    onHit: (listener) => void listeners.add(listener),
  }
}
