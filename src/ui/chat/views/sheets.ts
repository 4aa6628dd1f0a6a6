import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { ChatContext, LocalState } from '../context.ts'
import { visibleLines } from '../parts/failures.ts'
import { downloadFile } from '../../shared/download-file.ts'
import { numberFormat } from '../formats.ts'
import { problemKey } from '../local-keys.ts'
import { onEscape } from '../walk-messages.ts'
import { errorText, type Maybe, problemLine } from './problem.ts'
import type { ConversationRecord, Agent, AgentMemory, ListedMemory } from '../../../index.ts'

/** Shows the list of conversations or of memories. */
export function sheetView(context: ChatContext): TemplateResult {
  return context.local.get('list') === 'memories'
    ? memoriesView(context)
    : conversationsView(context)
}

/** Local state key of the text that a list is searched for. */
type SearchKey = 'search' | 'memory-search'

function queryOf({ local, locale }: ChatContext, key: SearchKey): string {
  return (local.get<string>(key) ?? '').toLocaleLowerCase(locale)
}

/** Shows the search field of a list, and why the last action in the list failed. */
function searchView(
  { words, local }: ChatContext,
  key: SearchKey,
  onSearch?: () => void,
): TemplateResult {
  const search = ({ target }: Event): void => {
    onSearch?.()
    local.set(key, (target as HTMLInputElement).value)
  }
  return html`<input
      type="search"
      aria-label=${words.searchConversations}
      placeholder=${words.searchConversations}
      .value=${local.get<string>(key) ?? ''}
      @input=${search}
    />
    ${problemLine(local.get(problemKey('list')))}`
}

/** Maximum number of entries drawn; for more, a person searches. */
const MOST_SHOWN = 200

/** Shows the agent's memories, to browse, search, save and delete. */
function memoriesView(context: ChatContext): TemplateResult {
  const { words, local, locale } = context
  const query = queryOf(context, 'memory-search')
  const entries = listedMemories(context)
  const found =
    entries?.filter(({ entry }) => entry.text.toLocaleLowerCase(locale).includes(query)) ?? []
  return html`
    <div class="list" part="list" role="region" aria-label=${words.memories}>
      <h3>${words.memories}</h3>
      ${searchView(context, 'memory-search', () => armForgetting(local, null))}
      ${found.length === 0 ? emptyView(context) : nothing}
      <ul>
        ${repeat(
          found.slice(0, MOST_SHOWN),
          ({ key }) => key,
          (each) => entryView(context, each),
        )}
      </ul>
      ${found.length > MOST_SHOWN ? html`<p class="note">${words.moreMemories(numberFormat(locale).format(found.length - MOST_SHOWN))}</p>` : nothing}
      ${found.length > 0 ? allView(context, found) : nothing}
    </div>
  `
}

/** Shows that nothing was found, or that the memories aren't read yet. A failed read shows its own text instead. */
function emptyView(context: ChatContext): Maybe {
  const { words, local } = context
  if (listedMemories(context)) return html`<p class="note">${words.noMemories}</p>`
  return local.get(problemKey('list')) ? nothing : html`<p class="note">${words.loading}</p>`
}

function entryView(context: ChatContext, found: FoundMemory): TemplateResult {
  const { words, locale } = context
  const { entry } = found
  const text = visibleLines(entry.text)
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
  return html`<li>
    <p class="memory">
      <span class="plain">${text}</span>
      ${entry.at === undefined ? nothing : html`<small>${day.format(entry.at)}</small>`}
      ${entry.untrusted ? html`<small class="problem">${words.memoryOfOthers}</small>` : nothing}
    </p>
    <button
      type="button"
      class="quiet"
      aria-label=${`${words.delete}: ${text}`}
      @click=${() => forget(context, [found])}
    >
      ${words.delete}
    </button>
  </li>`
}

/** Shows buttons that act on all found entries at once. Deletion takes two clicks, because it can't be undone. */
function allView(context: ChatContext, found: readonly FoundMemory[]): TemplateResult {
  const { words, local, locale } = context
  const isSure = isForgettingArmed(local, found)
  const count = numberFormat(locale).format(found.length)
  return html`<div class="buttons">
    <button type="button" @click=${() => save(found)}>${words.exportFile}</button>
    <button
      type="button"
      @click=${({ detail }: MouseEvent) => {
        // Ignores the second click of a double click.
        if (isSure && detail > 1) return
        armForgetting(local, isSure ? null : found)
        if (isSure) forget(context, found)
      }}
    >
      ${isSure ? words.forgetAllSure(count) : words.forgetAll(count)}
    </button>
    ${
      isSure
        ? html`<button type="button" @click=${() => armForgetting(local, null)}>
            ${words.cancel}
          </button>`
        : nothing
    }
  </div>`
}

function forget(context: ChatContext, found: readonly FoundMemory[]): void {
  const entries = found.map(({ entry }) => entry)
  context.actions.perform({ name: 'forget', detail: { entries }, key: 'list' }, () =>
    forgetMemories(context, found),
  )
}

/** Saves entries in the format of a memory's `export()`: JSON Lines, oldest first. */
function save(found: readonly FoundMemory[]): void {
  const lines = found.toReversed().map(({ entry }) => `${JSON.stringify(entry)}\n`)
  void downloadFile(new Blob(lines).stream(), 'memory')
}

/** Lists all conversations, to open, search, rename and delete them. */
function conversationsView(context: ChatContext): TemplateResult {
  const { agent, words, local, locale } = context
  const query = queryOf(context, 'search')
  const deleted = local.get<ConversationRecord>('deleted')
  const shown = agent.conversations
    .getSnapshot()
    .filter(
      ({ title, conversationId }) =>
        title.toLocaleLowerCase(locale).includes(query) &&
        conversationId !== deleted?.conversationId,
    )
  return html`
    <div class="list" part="list" role="region" aria-label=${words.conversations}>
      ${searchView(context, 'search')} ${deleted ? deletedView(context, deleted) : nothing}
      ${shown.length === 0 ? html`<p class="note">${query ? words.nothingFound : words.noConversations}</p>` : nothing}
      <ul>
        ${repeat(
          shown,
          ({ conversationId }) => conversationId,
          (record) => recordView(context, record),
        )}
      </ul>
      ${fileView(context)}
    </div>
  `
}

function recordView(context: ChatContext, record: ConversationRecord): TemplateResult {
  const { words, local, actions, snapshot } = context
  const { conversationId, title } = record
  const key = `rename:${conversationId}`
  const isCurrent = conversationId === snapshot.conversationId
  const name = title || words.untitled
  const rename = ({ currentTarget: button }: Event): void => {
    // Focuses the button, because some browsers don't on a click. The focus then moves to the field.
    ;(button as HTMLElement).focus()
    local.set(key, title)
  }
  return html`
    <li>
      ${
        local.get<string>(key) === undefined
          ? html`<button
                type="button"
                class="record"
                aria-current=${isCurrent ? 'true' : nothing}
                @click=${() => actions.openConversation(conversationId)}
              >
                <span class="record-title">${name}</span>
                ${record.openRunId !== null ? html`<small>${words.unfinished}</small>` : nothing}
              </button>
              <button
                type="button"
                class="quiet"
                aria-label=${`${words.rename}: ${name}`}
                @click=${rename}
              >
                ${words.rename}
              </button>`
          : renameView(context, record, key)
      }
      <button
        type="button"
        class="quiet"
        aria-label=${`${words.delete}: ${name}`}
        @click=${() => actions.delete(record)}
      >
        ${words.delete}
      </button>
    </li>
  `
}

function renameView(
  { agent, words, local, actions }: ChatContext,
  { conversationId }: ConversationRecord,
  key: string,
): TemplateResult {
  const save = (event: Event): void => {
    event.preventDefault()
    const title = local.get<string>(key) ?? ''
    local.set(key, undefined)
    actions.perform({ name: 'rename', detail: { conversationId, title }, key: 'list' }, () =>
      agent.conversations.rename(conversationId, title),
    )
  }
  return html`<form class="rename" @submit=${save}>
    <input
      aria-label=${words.rename}
      .value=${local.get<string>(key) ?? ''}
      @input=${({ target }: Event) => local.set(key, (target as HTMLInputElement).value)}
      @keydown=${onEscape(() => local.set(key, undefined))}
    />
    <button>${words.rename}</button>
  </form>`
}

/** Offers to undo a deletion. It becomes final after some seconds. */
function deletedView(
  { words, actions }: ChatContext,
  { title }: ConversationRecord,
): TemplateResult {
  return html`<p class="notice" role="status">
    ${words.deleted} ${title || words.untitled}
    <button type="button" @click=${() => actions.restore()}>${words.undo}</button>
  </p>`
}

function fileView(context: ChatContext): TemplateResult {
  const { agent, words, local, locale, actions, snapshot } = context
  const save = (): void =>
    void actions.perform({ name: 'export', key: 'list' }, async () => {
      await downloadFile(await agent.conversations.export(snapshot.conversationId), 'conversation')
    })
  const read = ({ target }: Event): void => {
    const field = target as HTMLInputElement
    const file = field.files?.[0]
    // Clearing the field lets the person choose the same file again.
    field.value = ''
    if (!file) return
    actions.perform({ name: 'import', detail: { file }, key: 'list' }, async () => {
      const { imported } = await agent.conversations.import(file)
      const count = numberFormat(locale).format(imported.length)
      local.set('imported', words.imported(count))
    })
  }
  const imported = local.get<string>('imported')
  return html`<div class="buttons">
    ${
      memoriesForPeople(agent).length > 0
        ? html`<button type="button" @click=${() => openMemories(context)}>
            ${words.memories}
          </button>`
        : nothing
    }
    <button type="button" @click=${save}>${words.exportFile}</button>
    <label class="button">
      ${words.importFile}
      <input type="file" class="unseen" accept=".jsonl,application/jsonl" @change=${read} />
    </label>
    ${imported ? html`<p class="note" role="status">${imported}</p>` : nothing}
  </div>`
}

type PersonMemory = AgentMemory & Required<Pick<AgentMemory, 'list' | 'forget'>>
type Context = Pick<ChatContext, 'agent' | 'snapshot' | 'local'>

/** An entry, and the memories that have it. */
export interface FoundMemory {
  /** Unique key: entries of two memories may have the same id. */
  readonly key: string
  readonly entry: ListedMemory
  readonly memories: readonly PersonMemory[]
}

/** Returns the memories that a person may browse. */
function memoriesForPeople({ memories }: Agent): readonly PersonMemory[] {
  return memories.filter(
    (memory): memory is PersonMemory => memory.list !== undefined && memory.forget !== undefined,
  )
}

/** Returns the entries that were read; undefined until the first read. */
export function listedMemories({
  local,
}: Pick<Context, 'local'>): readonly FoundMemory[] | undefined {
  return local.get(KEY)
}

const KEY = 'memories'
/** Local state key of the newest read. Results of earlier reads are dropped. */
const READING = 'memories-reading'
const ARMED = 'forget-all'

/** Opens the list, and reads the memories again. */
export function openMemories(context: Context): Promise<void> {
  context.local.set(KEY, undefined)
  context.local.set('list', 'memories')
  return readMemories(context)
}

/** Reads all entries, newest first. */
async function readMemories({ agent, snapshot, local }: Context): Promise<void> {
  const { conversationId } = snapshot
  const reading = Symbol(KEY)
  local.set(READING, reading)
  armForgetting(local, null)
  const isNewest = (): boolean => local.get(READING) === reading
  try {
    const lists = await Promise.all(
      memoriesForPeople(agent).map(async (memory) => ({
        memory,
        entries: await memory.list({ conversationId }),
      })),
    )
    if (!isNewest()) return
    local.set(KEY, mergeLists(lists))
    local.set(problemKey('list'), undefined)
  } catch (thrown) {
    if (!isNewest()) return
    local.set(KEY, undefined)
    local.set(problemKey('list'), errorText(thrown))
  }
}

/** Merges the lists. Memories may share entries. */
function mergeLists(
  lists: readonly { readonly memory: PersonMemory; readonly entries: readonly ListedMemory[] }[],
): readonly FoundMemory[] {
  const found = new Map<string, FoundMemory>()
  for (const { memory, entries } of lists)
    for (const entry of entries) {
      const key = JSON.stringify([entry.id, entry.text])
      const existing = found.get(key)
      const memories = [...(existing?.memories ?? []), memory]
      found.set(key, { key, entry: existing?.entry ?? entry, memories })
    }
  return [...found.values()].toSorted(({ entry: a }, { entry: b }) => (b.at ?? 0) - (a.at ?? 0))
}

/** Deletes each entry from the memories that contain it. */
export async function forgetMemories(
  context: Context,
  found: readonly FoundMemory[],
): Promise<void> {
  const { conversationId } = context.snapshot
  const ids = new Map<PersonMemory, Set<string>>()
  for (const { entry, memories } of found)
    for (const memory of memories) ids.set(memory, (ids.get(memory) ?? new Set()).add(entry.id))
  try {
    await Promise.all(
      [...ids].map(([memory, entryIds]) => memory.forget([...entryIds], { conversationId })),
    )
  } finally {
    // Reads again even after a failure, because some memories may have deleted their entries.
    await readMemories(context)
  }
}

/** Records the first of two clicks, for exactly these entries. Null takes it back. */
export function armForgetting(local: LocalState, found: readonly FoundMemory[] | null): void {
  local.set(ARMED, found === null ? undefined : keyOfEntries(found))
}

/** Whether the next click deletes all entries found. */
export function isForgettingArmed(local: LocalState, found: readonly FoundMemory[]): boolean {
  const armed = local.get<string>(ARMED)
  return armed !== undefined && armed === keyOfEntries(found)
}

function keyOfEntries(found: readonly FoundMemory[]): string {
  return JSON.stringify(found.map(({ key }) => key))
}
