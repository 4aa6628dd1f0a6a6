import { html, nothing, type TemplateResult } from 'lit'
import { visibleText } from '../../conversation/index.ts'
import type { ShownCall } from '../../index.ts'
import type { ChatContext, LocalState } from '../context.ts'
import { numberFormat } from '../formats.ts'
import { callView, stateIcon } from './call.ts'

const openKey = (key: string): string => `open:${key}`

export function isCallsOpen(local: LocalState, key: string): boolean {
  return local.get<boolean>(openKey(key)) ?? false
}

/** Folds several calls into one line: calls of one tool, or of several tools that change nothing. */
export function callsView(
  context: ChatContext,
  key: string,
  calls: readonly ShownCall[],
): TemplateResult {
  const { words, local, locale } = context
  const titles = new Set(calls.map(({ title: each, toolName }) => visibleText(each ?? toolName)))
  const title = [...titles].join(', ')
  const isOpen = isCallsOpen(local, key)
  const count = numberFormat(locale).format(calls.length)
  return html`
    <details
      class="call done calls"
      part="call call-done"
      tabindex="-1"
      ?open=${isOpen}
      @toggle=${({ target, currentTarget }: Event) => {
        if (target === currentTarget) local.set(openKey(key), (target as HTMLDetailsElement).open)
      }}
    >
      <summary>
        ${stateIcon('done')}
        <span class="call-title">${title}</span>
        <span class="call-state">${words.callsDone(count)}</span>
      </summary>
      ${isOpen ? calls.map((call) => callView(context, call)) : nothing}
    </details>
  `
}
