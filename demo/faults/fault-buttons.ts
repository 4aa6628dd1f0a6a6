import type { Agent, Conversation } from 'offstage'
import { readJournal } from '../journal/read-journal.ts'
import { byId, setText } from '../lib/dom.ts'
import type { DemoWorker } from '../worker/demo-worker.ts'
import { type Fault, isLasting } from '../worker/messages.ts'
import { describeEffect } from './describe-effect.ts'
import { faultNote } from './fault-note.ts'
import type { Network } from './network.ts'

interface FaultOptions {
  readonly agent: Agent
  readonly worker: DemoWorker
  readonly network: Network
  /** Titles of the tools, by name. */
  readonly titles: ReadonlyMap<string, string>
  /** Called when the endpoint begins or ends to refuse tools. */
  onToolsRefused(isRefused: boolean): void
}

/** Follows the conversation on view: what a fault left is reported at the end of its run. */
export interface FaultButtons {
  show(conversation: Conversation, signal: AbortSignal): void
}

const START_FIRST = 'Start something first.'

/** Creates the buttons that break things while the agent works, and tells what each did. */
export function createFaultButtons(options: FaultOptions): FaultButtons {
  const { agent, worker } = options
  const statusLine = byId('fault-told', HTMLElement)
  const showStatus = (text: string): void => setText(statusLine, text)
  const noteFault = (name: string, text: string): void => {
    faultNote.write(name)
    showStatus(text)
  }
  connectToAgent(agent, worker, { showStatus, noteFault })

  let shownId = ''
  connectSwitches(options, {
    showStatus,
    noteFault,
    // The run also continues by itself, but later.
    onStorageFreed: () => void agent.continue(shownId).catch(() => {}),
  })
  return {
    show(conversation, signal) {
      shownId = conversation.getSnapshot().conversationId
      follow(conversation, signal, { ...options, showStatus })
    },
  }
}

interface FaultReporter {
  showStatus(text: string): void
  /** Shows the text, and notes the fault for a report at the end of the run. */
  noteFault(name: string, text: string): void
}

/** Connects the buttons that need a run. */
function connectToAgent(
  agent: Agent,
  worker: DemoWorker,
  { showStatus, noteFault }: FaultReporter,
): void {
  const reload = byId('reload', HTMLButtonElement)
  const kill = byId('kill', HTMLButtonElement)
  const secondTab = byId('second-tab', HTMLButtonElement)
  let isKilled = false
  reload.addEventListener('click', () => {
    faultNote.write('Reload')
    location.reload()
  })
  kill.addEventListener('click', () => {
    isKilled = true
    worker.kill()
    noteFault('Killed worker', 'Worker killed.')
  })
  secondTab.addEventListener('click', () => {
    noteFault(
      'Second tab',
      'Both tabs show the run. This one works on it; the other can take over.',
    )
    // A tab that has an opener begins with a copy of its session, so it shows the same conversation.
    window.open(location.href, '_blank')
  })
  agent.on('worker', ({ state }) => {
    if (state === 'lost') showStatus('Worker lost. A new one is replaying the journal.')
    if (state !== 'ready' || !isKilled) return
    isKilled = false
    showStatus('New worker started; run continues.')
  })
  agent.on('status', ({ status }) => {
    const isRunning = status === 'running'
    document.body.dataset.running = String(isRunning)
    reload.disabled = kill.disabled = secondTab.disabled = !isRunning
    const statusLine = byId('fault-told', HTMLElement)
    if (isRunning && statusLine.textContent === START_FIRST) showStatus('')
  })
}

/** Connects the buttons that switch a fault on and off. */
function connectSwitches(
  { worker, network, onToolsRefused }: FaultOptions,
  { showStatus, noteFault, onStorageFreed }: FaultReporter & { onStorageFreed(): void },
): void {
  const offline = byId('go-offline', HTMLButtonElement)
  offline.addEventListener('click', () => {
    network.setOffline(!network.isOffline)
    setText(offline, network.isOffline ? 'Go online' : 'Go offline')
    noteFault(
      'Offline',
      network.isOffline ? 'Offline. Retrying when the network is back.' : 'Back online.',
    )
  })
  createSwitch('slow', worker, (isOn) =>
    isOn
      ? noteFault('Slow network', 'Each piece takes 120 ms longer.')
      : showStatus('Full speed again.'),
  )
  createSwitch('cut-stream', worker, (isOn) =>
    showStatus(isOn ? 'The next answer is cut in its middle.' : 'Nothing is cut.'),
  )
  createSwitch('malformed-call', worker, (isOn) =>
    showStatus(
      isOn ? 'The next native call arrives with broken arguments.' : 'Calls arrive whole.',
    ),
  )
  createSwitch('refuse-tools', worker, (isOn) => {
    onToolsRefused(isOn)
    if (isOn) noteFault('Refused tools', 'The endpoint refuses requests that offer tools.')
    else showStatus('Tools are accepted again.')
  })
  createSwitch('storage-full', worker, (isOn) => {
    showStatus(isOn ? 'Nothing more can be stored.' : 'There is room again.')
    if (!isOn) onStorageFreed()
  })
  worker.onHit((fault) => {
    if (!isLasting(fault)) byId(fault, HTMLButtonElement).setAttribute('aria-pressed', 'false')
    const effect = EFFECTS[fault]
    if (effect) noteFault(...effect)
  })
}

/** Name and description of what a fault did, by fault. */
const EFFECTS: Partial<Record<Fault, readonly [name: string, text: string]>> = {
  'cut-stream': ['Cut stream', 'Stream cut. The answer is asked for again.'],
  'malformed-call': ['Malformed call', 'The call was malformed. The model is told so.'],
  'refuse-tools': ['Refused tools', 'Tools refused. They are asked for as text instead.'],
  'storage-full': ['Full storage', 'Storage full. The run waits, and nothing is lost.'],
}

function createSwitch(fault: Fault, worker: DemoWorker, onSwitch: (isOn: boolean) => void): void {
  const button = byId(fault, HTMLButtonElement)
  button.addEventListener('click', () => {
    const isOn = button.getAttribute('aria-pressed') !== 'true'
    button.setAttribute('aria-pressed', String(isOn))
    worker.setFault(fault, isOn)
    onSwitch(isOn)
  })
}

/** Reports the noted fault once the conversation's run has ended. */
function follow(
  conversation: Conversation,
  signal: AbortSignal,
  {
    agent,
    titles,
    showStatus,
  }: Pick<FaultOptions, 'agent' | 'titles'> & Pick<FaultReporter, 'showStatus'>,
): void {
  const loadedAt = Date.now()
  let hasRun = false
  const check = async (): Promise<void> => {
    const { status, conversationId } = conversation.getSnapshot()
    if (status === 'running' || status === 'waiting') hasRun = true
    const note = faultNote.read()
    if (status !== 'idle' || !note || !(hasRun || note.at < loadedAt)) return
    const rows = await readJournal(agent, conversationId)
    // After a reload, the run is idle until the chat resumes it.
    const last = rows.findLast(({ type }) => type === 'run-started' || type === 'run-ended')
    if (signal.aborted || last?.type !== 'run-ended' || faultNote.read()?.at !== note.at) return
    hasRun = false
    faultNote.clear()
    showStatus(describeEffect(note, rows, titles))
  }
  const unsubscribe = conversation.subscribe(() => void check().catch(() => {}))
  signal.addEventListener('abort', unsubscribe)
}
