import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { visibleText } from '../../conversation/index.ts'
import { downloadFile } from '../../stage/download-file.ts'
import type { ChatContext } from '../context.ts'
import { numberFormat } from '../formats.ts'
import {
  armForgetting,
  forgetMemories,
  type FoundMemory,
  isForgettingArmed,
  listedMemories,
} from '../listed-memories.ts'
import { problemKey } from '../problem-key.ts'

/** Maximum number of entries drawn; for more, a person searches. */
const MOST_SHOWN = 200

/** Shows the agent's memories, to browse, search, save and delete. */
export function memoriesView(context: ChatContext): TemplateResult {
  const { words, local, locale } = context
  const query = (local.get<string>('memory-search') ?? '').toLocaleLowerCase(locale)
  const entries = listedMemories(context)
  const found =
    entries?.filter(({ entry }) => entry.text.toLocaleLowerCase(locale).includes(query)) ?? []
  const search = ({ target }: Event): void => {
    armForgetting(local, null)
    local.set('memory-search', (target as HTMLInputElement).value)
  }
  const problem = local.get<string>(problemKey('list'))
  return html`
    <div class="list" part="list" role="region" aria-label=${words.memories}>
      <h3>${words.memories}</h3>
      <input
        type="search"
        aria-label=${words.searchConversations}
        placeholder=${words.searchConversations}
        .value=${local.get<string>('memory-search') ?? ''}
        @input=${search}
      />
      ${problem ? html`<p class="problem" role="alert">${problem}</p>` : nothing}
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

/** Shows that nothing is found, or not read yet. A failed reading has its own text. */
function emptyView(context: ChatContext): TemplateResult | typeof nothing {
  const { words, local } = context
  if (listedMemories(context)) return html`<p class="note">${words.noMemories}</p>`
  return local.get(problemKey('list')) ? nothing : html`<p class="note">${words.loading}</p>`
}

function entryView(context: ChatContext, found: FoundMemory): TemplateResult {
  const { words, locale } = context
  const { entry } = found
  const text = visibleText(entry.text)
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

/** Buttons for all found entries. Deletion can't be undone, so it takes two presses. */
function allView(context: ChatContext, found: readonly FoundMemory[]): TemplateResult {
  const { words, local, locale } = context
  const isSure = isForgettingArmed(local, found)
  const count = numberFormat(locale).format(found.length)
  return html`<div class="buttons">
    <button type="button" @click=${() => save(found)}>${words.exportFile}</button>
    <button
      type="button"
      @click=${({ detail }: MouseEvent) => {
        // A double click counts as one press.
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
