import { html, type TemplateResult } from 'lit'
import type { ChatContext, LocalState } from '../context.ts'
import { problemKey } from '../problem-key.ts'
import type * as Sheets from './sheets.ts'

const PROBLEM = problemKey('sheets')

let sheets: typeof Sheets | null = null
let loading: Promise<void> | null = null

/** What is shown in place of the messages, once a person has asked for it: few do, so it is loaded then. */
export function sheetView(context: ChatContext): TemplateResult {
  if (sheets) return sheets.sheetView(context)
  const { words, local } = context
  const problem = local.get<string>(PROBLEM)
  if (problem === undefined) load(local)
  return html`<div class="list" part="list">
    ${
      problem === undefined
        ? html`<p class="note">${words.loading}</p>`
        : html`<p class="problem" role="alert">${problem}</p>
            <button type="button" @click=${() => local.set(PROBLEM, undefined)}>
              ${words.tryAgain}
            </button>`
    }
  </div>`
}

/** What could not be fetched is tried again by a press only: each drawing would. */
function load(local: LocalState): void {
  loading ??= import('./sheets.ts')
    .then((loaded) => {
      sheets = loaded
    })
    .finally(() => {
      loading = null
    })
  loading.then(
    () => local.set('sheets', sheets),
    (thrown: unknown) =>
      local.set(PROBLEM, thrown instanceof Error ? thrown.message : String(thrown)),
  )
}
