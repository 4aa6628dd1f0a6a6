import { html, type TemplateResult } from 'lit'
import type { ChatContext, LocalState } from '../context.ts'
import { problemKey } from '../local-keys.ts'
import { errorText } from './problem.ts'

type View<Args extends readonly unknown[]> = (context: ChatContext, ...args: Args) => TemplateResult

/**
 * A view whose code loads when it is first drawn, because few people need it. After a failed load, only a button
 * retries: retrying on each render would never stop. `name`: key of the view's problem. `box`: class of the
 * placeholder; without it, nothing is shown until the code is loaded.
 */
export function loadedView<Args extends readonly unknown[]>(
  { name, box }: { readonly name: string; readonly box?: string },
  load: () => Promise<View<Args>>,
): View<Args> {
  const key = problemKey(name)
  let view: View<Args> | null = null
  let loading: Promise<void> | null = null
  const startLoading = (local: LocalState): void => {
    loading ??= load()
      .then((loaded) => {
        view = loaded
      })
      .finally(() => {
        loading = null
      })
    loading.then(
      () => local.set(name, true),
      (thrown: unknown) => local.set(key, errorText(thrown)),
    )
  }
  return (context, ...args) => {
    if (view) return view(context, ...args)
    const { words, local } = context
    const problem = local.get<string>(key)
    if (problem === undefined) startLoading(local)
    if (!box) return html``
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
