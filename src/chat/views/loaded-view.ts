import { html, type TemplateResult } from 'lit'
import type { ChatContext, LocalState } from '../context.ts'
import { problemKey } from '../problem-key.ts'

type View<Rest extends readonly unknown[]> = (context: ChatContext, ...rest: Rest) => TemplateResult

/**
 * A view that few people see: its code is loaded when it is first drawn. What can't be fetched is tried again by a press
 * only, since each drawing would ask for it. `name` is the key of its problem, `box` the class of what stands in its place.
 */
export function loadedView<Rest extends readonly unknown[]>(
  { name, box }: { readonly name: string; readonly box: string },
  load: () => Promise<View<Rest>>,
): View<Rest> {
  const key = problemKey(name)
  let view: View<Rest> | null = null
  let loading: Promise<void> | null = null
  const begin = (local: LocalState): void => {
    loading ??= load()
      .then((loaded) => {
        view = loaded
      })
      .finally(() => {
        loading = null
      })
    loading.then(
      () => local.set(name, true),
      (thrown: unknown) =>
        local.set(key, thrown instanceof Error ? thrown.message : String(thrown)),
    )
  }
  return (context, ...rest) => {
    if (view) return view(context, ...rest)
    const { words, local } = context
    const problem = local.get<string>(key)
    if (problem === undefined) begin(local)
    return html`<div class=${box} part=${box}>
      ${
        problem === undefined
          ? html`<p class="note">${words.loading}</p>`
          : html`<p class="problem" role="alert">${problem}</p>
              <button type="button" @click=${() => local.set(key, undefined)}>
                ${words.tryAgain}
              </button>`
      }
    </div>`
  }
}
