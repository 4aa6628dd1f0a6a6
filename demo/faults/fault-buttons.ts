import type { Agent } from 'offstage'
import { byId, setText } from '../lib/dom.ts'
import type { DemoWorker } from '../worker/demo-worker.ts'
import type { Network } from './network.ts'

/** What a visitor can do to the agent while it works, and what comes of it. */
export function createFaultButtons(agent: Agent, worker: DemoWorker, network: Network): void {
  const offline = byId('go-offline', HTMLButtonElement)
  const told = byId('fault-told', HTMLElement)
  const tell = (text: string): void => setText(told, text)

  byId('reload', HTMLButtonElement).addEventListener('click', () => location.reload())
  byId('kill', HTMLButtonElement).addEventListener('click', () => {
    worker.kill()
    tell('The worker is dead. A new one takes its place as soon as it is missed.')
  })
  agent.on('worker', ({ state }) => {
    if (state === 'lost') tell('The worker was missed: a new one reads the journal.')
    if (state === 'ready' && told.textContent !== '') tell('A new worker goes on.')
  })
  offline.addEventListener('click', () => {
    network.setOffline(!network.isOffline)
    offline.setAttribute('aria-pressed', String(network.isOffline))
    tell(
      network.isOffline
        ? 'Offline: the model and the courier can’t be reached, and are tried again.'
        : 'Online again.',
    )
  })
}
