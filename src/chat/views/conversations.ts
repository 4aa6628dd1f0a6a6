import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { ConversationRecord } from '../../index.ts'
import { problemKey } from '../problem-key.ts'
import type { ChatContext } from '../context.ts'
import { downloadFile } from '../../stage/download-file.ts'
import { numberFormat } from '../formats.ts'
import { memoriesForPeople, openMemories } from '../listed-memories.ts'

/** Lists all conversations, to open, search, rename and delete them. */
export function conversationsView(context: ChatContext): TemplateResult {
  const { agent, words, local, locale } = context
  const query = (local.get<string>('search') ?? '').toLocaleLowerCase(locale)
  const deleted = local.get<ConversationRecord>('deleted')
  const shown = agent.conversations
    .getSnapshot()
    .filter(
      ({ title, conversationId }) =>
        title.toLocaleLowerCase(locale).includes(query) &&
        conversationId !== deleted?.conversationId,
    )
  const problem = local.get<string>(problemKey('list'))
  return html`
    <div class="list" part="list" role="region" aria-label=${words.conversations}>
      <input
        type="search"
        aria-label=${words.searchConversations}
        placeholder=${words.searchConversations}
        .value=${local.get<string>('search') ?? ''}
        @input=${({ target }: Event) => local.set('search', (target as HTMLInputElement).value)}
      />
      ${problem ? html`<p class="problem" role="alert">${problem}</p>` : nothing}
      ${deleted ? deletedView(context, deleted) : nothing}
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
  return html`
    <li>
      ${
        local.get<string>(key) === undefined
          ? html`<button
              type="button"
              class="record"
              aria-current=${isCurrent ? 'true' : nothing}
              @click=${() => actions.open(conversationId)}
            >
              <span class="record-title">${name}</span>
              ${record.openRunId !== null ? html`<small>${words.unfinished}</small>` : nothing}
            </button>`
          : renameView(context, record, key)
      }
      <button
        type="button"
        class="quiet"
        aria-label=${`${words.rename}: ${name}`}
        @click=${() => local.set(key, title)}
      >
        ${words.rename}
      </button>
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
      @keydown=${(event: KeyboardEvent) => {
        if (event.key !== 'Escape') return
        // Escape must not also close a bubble.
        event.preventDefault()
        local.set(key, undefined)
      }}
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
