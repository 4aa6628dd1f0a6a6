import type { Agent, ConversationRecord } from 'offstage'
import { byId, el, setText } from '../lib/dom.ts'
import { formatDay } from '../lib/format.ts'
import type { View } from '../lib/keyed-list.ts'
import { createKeyedList } from '../lib/keyed-list.ts'

export interface HistoryOptions {
  /** The conversation on view. */
  current(): string | undefined
  onOpen(conversationId: string): void
  onDeleted(conversationId: string): void
}

export interface History {
  /** Reads the list again, if it is on view. */
  refresh(): void
  close(): void
}

/** The list of conversations: open, rename, delete. */
export function createHistory(agent: Agent, options: HistoryOptions): History {
  const panel = byId('conversations', HTMLElement)
  const button = byId('list-button', HTMLButtonElement)
  const empty = byId('no-conversations', HTMLElement)
  const show = createKeyedList<ConversationRecord>(byId('conversation-list', HTMLElement), {
    key: ({ conversationId }) => conversationId,
    create: ({ conversationId }) => createRow(conversationId, rowOptions),
  })
  const read = async (): Promise<void> => {
    const records = await agent.conversations.list()
    show(records)
    empty.hidden = records.length > 0
  }
  const toggle = (open: boolean): void => {
    panel.hidden = !open
    button.setAttribute('aria-expanded', String(open))
    if (open) void read()
  }
  const rowOptions: RowOptions = {
    current: options.current,
    open(conversationId) {
      toggle(false)
      options.onOpen(conversationId)
    },
    async rename(conversationId, title) {
      await agent.conversations.rename(conversationId, title)
      await read()
    },
    async remove(conversationId) {
      await agent.conversations.delete(conversationId)
      options.onDeleted(conversationId)
      await read()
    },
  }
  button.addEventListener('click', () => toggle(panel.hidden === true))
  return {
    refresh() {
      if (!panel.hidden) void read()
    },
    close: () => toggle(false),
  }
}

interface RowOptions extends Pick<HistoryOptions, 'current'> {
  open(conversationId: string): void
  rename(conversationId: string, title: string): Promise<void>
  remove(conversationId: string): Promise<void>
}

function createRow(id: string, options: RowOptions): View<ConversationRecord> {
  const title = el('span', { class: 'conversation-title' })
  const day = el('span', { class: 'hint' })
  const open = el('button', { type: 'button', class: 'conversation-open' }, title, day)
  open.addEventListener('click', () => options.open(id))
  const name = el('input', { 'aria-label': 'New title', hidden: true })
  const rename = el('button', { type: 'button', class: 'quiet' }, 'Rename')
  const remove = el('button', { type: 'button', class: 'quiet' }, 'Delete')
  const element = el('li', { class: 'conversation' }, open, name, rename, remove)

  const setEditing = (editing: boolean): void => {
    name.hidden = !editing
    open.hidden = editing
    setText(rename, editing ? 'Save' : 'Rename')
    if (editing) name.select()
  }
  const save = (): void => {
    setEditing(false)
    if (name.value.trim()) void options.rename(id, name.value.trim())
  }
  rename.addEventListener('click', () => (name.hidden ? setEditing(true) : save()))
  name.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') save()
    if (key === 'Escape') setEditing(false)
  })
  remove.addEventListener('click', () => void options.remove(id))

  return {
    element,
    update(record) {
      const shown = record.title || 'Untitled'
      setText(title, shown)
      setText(day, `${formatDay(record.updatedAt)}${record.openRunId ? ' · unfinished' : ''}`)
      if (name.hidden) name.value = shown
      rename.setAttribute('aria-label', `Rename ${shown}`)
      remove.setAttribute('aria-label', `Delete ${shown}`)
      if (options.current() === id) open.setAttribute('aria-current', 'true')
      else open.removeAttribute('aria-current')
    },
  }
}
