import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { visibleText } from '../../conversation/index.ts'
import type { ListedMemory } from '../../index.ts'
import { downloadFile } from '../../stage/download-file.ts'
import type { ChatContext } from '../context.ts'
import { numberFormat } from '../formats.ts'
import { forgetMemories, listedMemories } from '../listed-memories.ts'
import { problemKey } from '../problem-key.ts'

/** More are not drawn: a person searches then. */
const MOST_SHOWN = 200

/** What is remembered beyond conversations, to look through, search, save and delete. */
export function memoriesView(context: ChatContext): TemplateResult {
  const { words, local, locale } = context
  const query = (local.get<string>('memory-search') ?? '').toLocaleLowerCase(locale)
  const entries = listedMemories(context)
  const found = entries?.filter(({ text }) => text.toLocaleLowerCase(locale).includes(query)) ?? []
  const problem = local.get<string>(problemKey('list'))
  return html`
    <div class="list" part="list" role="region" aria-label=${words.memories}>
      <h3>${words.memories}</h3>
      <input
        type="search"
        aria-label=${words.searchConversations}
        placeholder=${words.searchConversations}
        .value=${local.get<string>('memory-search') ?? ''}
        @input=${({ target }: Event) => local.set('memory-search', (target as HTMLInputElement).value)}
      />
      ${problem ? html`<p class="problem" role="alert">${problem}</p>` : nothing}
      ${found.length === 0 ? html`<p class="note">${entries ? words.noMemories : words.loading}</p>` : nothing}
      <ul>
        ${repeat(
          found.slice(0, MOST_SHOWN),
          ({ id }) => id,
          (entry) => entryView(context, entry),
        )}
      </ul>
      ${found.length > MOST_SHOWN ? html`<p class="note">${words.moreMemories(numberFormat(locale).format(found.length - MOST_SHOWN))}</p>` : nothing}
      ${found.length > 0 ? allView(context, found) : nothing}
    </div>
  `
}

function entryView(context: ChatContext, entry: ListedMemory): TemplateResult {
  const { words, locale } = context
  const text = visibleText(entry.text)
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
  return html`<li>
    <p class="memory plain">
      ${text} ${entry.at === undefined ? nothing : html`<small>${day.format(entry.at)}</small>`}
      ${entry.untrusted ? html`<small class="problem">${words.memoryOfOthers}</small>` : nothing}
    </p>
    <button
      type="button"
      class="quiet"
      aria-label=${`${words.delete}: ${text}`}
      @click=${() => forget(context, [entry])}
    >
      ${words.delete}
    </button>
  </li>`
}

/** Of all that is found. What is deleted here is gone: it takes two presses. */
function allView(context: ChatContext, found: readonly ListedMemory[]): TemplateResult {
  const { words, local, locale } = context
  const isSure = local.get<boolean>('forget-all') === true
  const count = numberFormat(locale).format(found.length)
  return html`<div class="buttons">
    <button type="button" @click=${() => save(found)}>${words.exportFile}</button>
    <button
      type="button"
      @click=${() => {
        local.set('forget-all', isSure ? undefined : true)
        if (isSure) forget(context, found)
      }}
    >
      ${isSure ? words.forgetAllSure(count) : words.forgetAll(count)}
    </button>
    ${
      isSure
        ? html`<button type="button" @click=${() => local.set('forget-all', undefined)}>
            ${words.cancel}
          </button>`
        : nothing
    }
  </div>`
}

function forget(context: ChatContext, entries: readonly ListedMemory[]): void {
  context.actions.perform({ name: 'forget', detail: { entries }, key: 'list' }, () =>
    forgetMemories(context, entries),
  )
}

/** As `export()` of a memory has it: JSON Lines, oldest first. */
function save(entries: readonly ListedMemory[]): void {
  const lines = entries.toReversed().map((entry) => `${JSON.stringify(entry)}\n`)
  void downloadFile(new Blob(lines).stream(), 'memory')
}
