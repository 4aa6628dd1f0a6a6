import { html, type TemplateResult } from 'lit'
import type { ChatContext, LocalState } from '../context.ts'
import { problemKey } from '../problem-key.ts'
import type * as Sheets from './sheets.ts'

let sheets: typeof Sheets | null = null
let loading: Promise<void> | null = null

/** What is shown in place of the messages, once a person has asked for it: few do, so it is loaded then. */
export function sheetView(context: ChatContext): TemplateResult {
  if (sheets) return sheets.sheetView(context)
  const { words, local } = context
  void load(local)
  const problem = local.get<string>(problemKey('list'))
  return html`<div class="list" part="list">
    ${problem ? html`<p class="problem" role="alert">${problem}</p>` : html`<p class="note">${words.loading}</p>`}
  </div>`
}

/** What could not be fetched is tried again when it is drawn again. */
function load(local: LocalState): Promise<void> {
  loading ??= import('./sheets.ts').then(
    (loaded) => {
      sheets = loaded
    },
    (thrown: Error) => {
      loading = null
      local.set(problemKey('list'), thrown.message)
    },
  )
  return loading.then(() => local.set('sheets', sheets))
}
