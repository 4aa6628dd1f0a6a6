import { html, nothing, type TemplateResult } from 'lit'
import { guard } from 'lit/directives/guard.js'
import { visibleText } from '../../conversation/index.ts'
import type { ShownMessage } from '../../index.ts'
import type { MessageContext } from '../context.ts'
import { numberFormat } from '../formats.ts'
import { markdown } from '../markdown/directive.ts'
import { isLetGo } from '../parts/call-state.ts'
import { inLines } from '../parts/in-short.ts'
import { shownParts } from '../parts/text-of.ts'
import { isThinking, thoughtFor } from '../reasoning-times.ts'
import { attempt, sourcesView } from './answer.ts'
import { fileView } from './attached.ts'
import { editorView, isEdited } from './message-editor.ts'
import { messageActionsView } from './message-actions.ts'

type Part = ShownMessage['parts'][number]

/** A message of the person or the model. Its calls are rows of their own. */
export function messageView(context: MessageContext, message: ShownMessage): TemplateResult {
  const { words } = context
  const sender =
    'trigger' in message ? `${words.trigger} ${visibleText(message.trigger ?? '')}` : undefined
  const isOwn = message.role === 'user' && !sender
  if (isEdited(context, message)) return editorView(context, message)
  return html`
    <article
      class="message ${isOwn ? 'own' : 'reply'}"
      part="message ${isOwn ? 'own-message' : 'reply'}"
      aria-label=${sender ?? (isOwn ? words.you : words.assistant)}
      tabindex="-1"
      data-message=${message.id}
    >
      ${sender ? html`<p class="note">${sender}</p>` : nothing}
      <div class="content" dir="auto">
        ${guard(
          [message, context.markdown, context.answers, words, thoughtFor(context.local, message)],
          () => shownParts(message).map((part) => partView(context, message, part)),
        )}
      </div>
      ${
        message.role === 'assistant' && message.partial && !isLetGo(context.snapshot)
          ? html`<p class="note">${words.announceStopped}</p>`
          : nothing
      }
      ${message.rejected ? html`<p class="note">${words.rejected}</p>` : nothing}
      ${('losses' in message ? message.losses : null)?.map(
        ({ code, message: details }) =>
          html`<details class="note">
            <summary>
              ${words.warnings[details.includes('Files were left out') ? 'files' : code]}
            </summary>
            <p class="plain">${inLines(details)}</p>
          </details>`,
      )}
      ${reflectionView(context, message)} ${sourcesView(context, message)}
      ${messageActionsView(context, message)}
    </article>
  `
}

/** Shows the result of a reflection on the answer: remarks, or the original text. */
function reflectionView(
  { words, markdown: options }: MessageContext,
  { reflection }: ShownMessage,
): TemplateResult | typeof nothing {
  if (!reflection) return nothing
  const isRemark = reflection.mode === 'annotate'
  const text = isRemark ? reflection.text : reflection.original
  return html`<details class="reasoning" part="reflection" ?open=${isRemark}>
    <summary>${isRemark ? words.remarks : words.answerBefore}</summary>
    <div class="markdown" ${markdown({ text, isWhole: true, options, words })}></div>
  </details>`
}

function partView(
  context: MessageContext,
  message: ShownMessage,
  part: Part,
): TemplateResult | Node | typeof nothing {
  const { words, markdown: options, answers } = context
  const own =
    message.role === 'assistant' ? attempt(() => answers.renderPart?.(part, message)) : null
  if (own) return own
  const isWhole = message.at !== undefined
  switch (part.type) {
    case 'text':
      return message.role === 'user'
        ? html`<p class="plain">${part.text}</p>`
        : html`<div
            class="markdown"
            ${markdown({ text: part.text, isWhole, options, words })}
          ></div>`
    case 'reasoning':
      return html`<details class="reasoning" part="reasoning">
        <summary>${reasoningTitle(context, message, part)}</summary>
        <p class="plain">${part.text}</p>
      </details>`
    case 'file':
      return fileView(part, words.attachment(part.filename ?? part.mediaType))
    case 'tool-call':
    case 'tool-result':
      return nothing
  }
}

/** Returns the title of a reasoning part, with its duration if that was measured. */
function reasoningTitle(
  { words, local, locale }: MessageContext,
  message: ShownMessage,
  part: Part,
): string {
  if (isThinking(message))
    return part === message.parts.at(-1) ? words.reasoningUnderWay : words.reasoning
  const took = thoughtFor(local, message)
  if (took === undefined) return words.reasoning
  return words.thoughtFor(numberFormat(locale).format(Math.max(1, Math.round(took / 1000))))
}
