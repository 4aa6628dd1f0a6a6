import type { Agent } from 'offstage'
import { byId, setText } from '../lib/dom.ts'
import type { DemoWorker } from '../worker/demo-worker.ts'
import type { Network } from './network.ts'

/** Creates the buttons that break things while the agent works, and shows the effect of each. */
export function createFaultButtons(agent: Agent, worker: DemoWorker, network: Network): void {
  const offline = byId('go-offline', HTMLButtonElement)
  const told = byId('fault-told', HTMLElement)
  const tell = (text: string): void => setText(told, text)
  const reload = byId('reload', HTMLButtonElement)
  const kill = byId('kill', HTMLButtonElement)
  let isKilled = false

  reload.addEventListener('click', () => location.reload())
  kill.addEventListener('click', () => {
    isKilled = true
    worker.kill()
    tell('Worker killed.')
  })
  agent.on('worker', ({ state }) => {
    if (state === 'lost') tell('Worker lost. A new one is replaying the journal.')
    if (state !== 'ready' || !isKilled) return
    isKilled = false
    tell('New worker started; run continues.')
  })
  agent.on('status', ({ status }) => {
    const isRunning = status === 'running'
    document.body.dataset.running = String(isRunning)
    reload.disabled = kill.disabled = !isRunning
    if (isRunning && told.textContent === 'Start something first.') tell('')
  })
  offline.addEventListener('click', () => {
    network.setOffline(!network.isOffline)
    setText(offline, network.isOffline ? 'Go online' : 'Go offline')
    tell(network.isOffline ? 'Offline. Retrying when the network is back.' : 'Back online.')
  })
}
