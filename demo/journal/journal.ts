import type { Agent, RunEvent } from 'offstage'
import type {} from 'offstage/inspector'
import { byId, setText } from '../lib/dom.ts'
import { describeUsage } from './describe-usage.ts'
import { followEvents } from './follow-events.ts'
import { readJournal, type JournalRow } from './read-journal.ts'
import { createRecordList, type RecordList } from './record-list.ts'

/** Milliseconds between two reads. */
const READ_INTERVAL_MS = 300

/** The stored rows of the conversation in view, and the events of its runs. */
export interface Journal {
  show(conversationId: string): void
  /** Records requests from the next step on, for the inspector's tab. */
  record(): void
}

/** @param openTools Called once, when the panel of tools is first opened. */
export function createJournal(agent: Agent, openTools: () => Promise<void>): Journal {
  const rows = createRecordList('journal-rows', 'journal-count')
  const events = createRecordList('events', 'event-count')
  const usage = byId('run-usage', HTMLElement)
  const { inspect, record } = createTabs(agent, openTools)
  let controller = new AbortController()
  return {
    record,
    show(conversationId) {
      controller.abort()
      controller = new AbortController()
      rows.clear()
      events.clear()
      inspect(conversationId)
      const conversation = agent.conversation(conversationId)
      const read = createReader(() => readJournal(agent, conversationId), rows, controller.signal)
      const onEvent = (event: RunEvent): void => {
        events.add([event])
        if (event.type === 'run-end') setText(usage, describeUsage(event.result))
      }
      const follow = followEvents(conversation, onEvent, controller.signal)
      const unsubscribe = conversation.subscribe(() => {
        read()
        follow()
      })
      controller.signal.addEventListener('abort', unsubscribe)
      read()
    },
  }
}

/** Reads new rows, with one read at a time. Changes during a read are read after it. */
function createReader(
  readRows: () => Promise<readonly JournalRow[]>,
  rows: RecordList,
  signal: AbortSignal,
): () => void {
  let lastSeq = 0
  let isReading = false
  let isReadRequested = false
  const read = async (): Promise<void> => {
    const stored = await readRows().catch(() => [])
    if (signal.aborted) return
    rows.add(stored.filter(({ seq }) => seq > lastSeq))
    lastSeq = Math.max(lastSeq, stored.at(-1)?.seq ?? 0)
    setTimeout(() => {
      isReading = false
      if (isReadRequested && !signal.aborted) requestRead()
    }, READ_INTERVAL_MS)
  }
  const requestRead = (): void => {
    isReadRequested = isReading
    if (isReading) return
    isReading = true
    void read()
  }
  return requestRead
}

interface Tabs {
  /** Shows another conversation in the inspector. */
  inspect(conversationId: string): void
  record(): void
}

/** Tabs for the lists, the inspector, the tools and the meter. */
function createTabs(agent: Agent, openTools: () => Promise<void>): Tabs {
  const inspector = byId('inspector', HTMLElement) as HTMLElementTagNameMap['offstage-inspector']
  const meter = byId('meter', HTMLElement)
  const tools = byId('tools', HTMLElement)
  const tabs = [
    { button: 'journal-tab', panel: byId('journal-rows', HTMLElement) },
    { button: 'event-tab', panel: byId('events', HTMLElement) },
    { button: 'inspector-tab', panel: inspector },
    { button: 'tools-tab', panel: tools },
    { button: 'meter-tab', panel: meter },
  ].map(({ button, panel }) => ({ button: byId(button, HTMLButtonElement), panel }))
  let conversationId: string | undefined
  let showMeter: ((isShown: boolean) => void) | undefined
  let toolsOpening: Promise<void> | undefined
  let isRecording = false
  const inspect = (): void => {
    if (!isRecording || conversationId === undefined) return
    inspector.agent = agent
    inspector.conversationId = conversationId
  }
  const record = async (): Promise<void> => {
    await import('offstage/inspector')
    isRecording = true
    inspect()
  }
  const show = async (selected: HTMLElement): Promise<void> => {
    if (selected === inspector) await record()
    if (selected === tools) await (toolsOpening ??= openTools())
    if (selected === meter) showMeter ??= await loadMeter()
    for (const { button, panel } of tabs) {
      button.setAttribute('aria-pressed', String(panel === selected))
      panel.hidden = panel !== selected
    }
    showMeter?.(selected === meter)
  }
  for (const { button, panel } of tabs) button.addEventListener('click', () => void show(panel))
  return {
    record: () => void record(),
    inspect(next) {
      conversationId = next
      inspect()
    },
  }
}

async function loadMeter(): Promise<(isShown: boolean) => void> {
  const { connectMeter, watchMeter } = await import('../meter/meter.ts')
  connectMeter()
  return watchMeter
}
