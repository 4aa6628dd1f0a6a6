import { css, html, nothing, type TemplateResult } from 'lit'
import { AsyncDirective } from 'lit/async-directive.js'
import { type ChildPart, directive } from 'lit/directive.js'
import {
  type DiscussionEntry,
  discussionId,
  readDiscussion,
  showInput,
  visibleText,
} from '../../../conversation/index.ts'
import type { Conversation, JsonValue, PendingCall } from '../../../index.ts'
import type { ChatContext } from '../context.ts'
import { inputKey } from '../local-keys.ts'
import { markdown } from '../markdown/sliced-markdown.ts'
import { type DiscussedCall, toCallRef } from '../parts/call-ref.ts'
import { titleOf } from '../parts/page-sentence.ts'
import { schemaOfKey, isRecord, labelOf } from '../parts/input-fields.ts'
import type { DiscussWords } from '../words/words.ts'
import { formKey, schemaOf } from './input.ts'
import { type Maybe, problemLine } from './problem.ts'

const EN: DiscussWords = {
  askAbout: (title) => `Ask about “${title}”…`,
  label: 'Questions about this action',
  suggestion: 'Suggested change',
  use: 'Use it',
  inUse: 'In use: approve it above, or deny',
  refused: (tool) => `The assistant tried to use ${tool}. It did not run.`,
  ask: 'Ask about this',
}

const ZH: DiscussWords = {
  askAbout: (title) => `询问“${title}”…`,
  label: '关于此操作的提问',
  suggestion: '建议的修改',
  use: '采用',
  inUse: '已采用：请在上方批准或拒绝',
  refused: (tool) => `助手试图使用 ${tool}，但它没有运行。`,
  ask: '就此提问',
}

function wordsOf({ locale, words }: ChatContext): DiscussWords {
  return { ...(/^zh\b/i.test(locale) ? ZH : EN), ...words.discuss }
}

/** Shows the discussion of a waiting call. Redraws by itself, because the discussion is a separate conversation. */
class DiscussionDirective extends AsyncDirective {
  #conversation: Conversation | undefined
  #clearTarget: (() => void) | undefined
  #unsubscribe: (() => void) | undefined
  #draw: () => unknown = () => nothing
  /** True once an answer that a reload cut off has been resumed. */
  #isResumed = false

  render(context: ChatContext, call: PendingCall): unknown {
    const conversation = context.agent.conversation(discussionId(toCallRef(context, call)))
    const { local } = context
    const about = toDiscussedCall(context, call)
    const isChosen = (): boolean =>
      JSON.stringify(local.get<DiscussedCall>('about')?.call) === JSON.stringify(about.call)
    this.#clearTarget = () => isChosen() && local.set('about', undefined)
    // Makes this card the subject of the next message if no other card is chosen. Delayed, because it triggers another
    // drawing.
    queueMicrotask(() => {
      const current = local.get<DiscussedCall>('about')
      if (!current || (isChosen() && current.placeholder !== about.placeholder))
        local.set('about', about)
    })
    this.#draw = () => {
      this.#resume(context, call, conversation)
      return discussionView(context, call, conversation)
    }
    if (this.#conversation !== conversation) {
      this.disconnected()
      this.#conversation = conversation
      this.reconnected()
    }
    return this.#draw()
  }

  override update(part: ChildPart, [context, call]: Parameters<this['render']>): unknown {
    // Delayed until this drawing has put the part in place.
    queueMicrotask(() => adoptStyles(part.parentNode.getRootNode()))
    return this.render(context, call)
  }

  protected override reconnected(): void {
    this.#unsubscribe ??= this.#conversation?.subscribe(() => this.setValue(this.#draw()))
  }

  protected override disconnected(): void {
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
    queueMicrotask(() => this.isConnected || this.#clearTarget?.())
  }

  #resume(context: ChatContext, call: PendingCall, conversation: Conversation): void {
    const { runId, status } = conversation.getSnapshot()
    const isElsewhere = context.snapshot.ownership.startsWith('other')
    if (this.#isResumed || isElsewhere || runId === undefined || status !== 'idle') return
    this.#isResumed = true
    void context.conversation.discuss(toCallRef(context, call)).catch(() => undefined)
  }
}

function adoptStyles(root: Node): void {
  const sheet = styles.styleSheet
  if (!(root instanceof ShadowRoot) || !sheet || root.adoptedStyleSheets.includes(sheet)) return
  root.adoptedStyleSheets.push(sheet)
}

function toDiscussedCall(context: ChatContext, call: PendingCall): DiscussedCall {
  const placeholder = wordsOf(context).askAbout(titleOf(context, call))
  return { call: toCallRef(context, call), placeholder }
}

const discussion = directive(DiscussionDirective)

/** Shows a person's questions about a waiting call, with the model's answers and suggestions. */
export function discussView(context: ChatContext, call: PendingCall): TemplateResult {
  return html`${discussion(context, call)}`
}

function discussionView(
  context: ChatContext,
  call: PendingCall,
  conversation: Conversation,
): Maybe {
  const snapshot = conversation.getSnapshot()
  const entries = readDiscussion(snapshot)
  const isOnlyCall = context.snapshot.pending.filter(({ kind }) => kind === 'approval').length === 1
  if (entries.length === 0 && isOnlyCall) return nothing
  const words = wordsOf(context)
  const isRunning = snapshot.status === 'running'
  const ask = (): void => context.local.set('about', toDiscussedCall(context, call))
  return html`<div
    class="discussion"
    part="discussion"
    role="group"
    aria-live="polite"
    aria-label=${words.label}
    aria-busy=${isRunning}
  >
    ${entries.map((entry, at) => {
      const isNewest = at === entries.length - 1
      return entryView(context, call, { entry, isRunning: isRunning && isNewest })
    })}
    ${problemLine(snapshot.error && visibleText(snapshot.error.message))}
    ${
      isRunning
        ? html`<button type="button" class="quiet" @click=${() => void conversation.abort()}>
            ${context.words.stop}
          </button>`
        : nothing
    }
    ${isOnlyCall ? nothing : html`<button type="button" class="quiet" @click=${ask}>${words.ask}</button>`}
  </div>`
}

function entryView(
  context: ChatContext,
  call: PendingCall,
  { entry, isRunning }: { readonly entry: DiscussionEntry; readonly isRunning: boolean },
): TemplateResult {
  const { words, markdown: options } = context
  const { answer: text, question, refused, suggestions } = entry
  return html`
    <p class="plain asked-about" dir="auto">${question}</p>
    ${
      text === ''
        ? isRunning
          ? html`<p class="note">${words.reasoningUnderWay}</p>`
          : nothing
        : html`<div
            class="markdown"
            dir="auto"
            ${markdown({ text, isWhole: !isRunning, options, words })}
          ></div>`
    }
    ${suggestions.map((input) => suggestionView(context, call, input))}
    ${refused.map((tool) => html`<p class="note">${wordsOf(context).refused(visibleText(tool))}</p>`)}
  `
}

/** Shows a suggested input as its difference from the input on the card. */
function suggestionView(
  context: ChatContext,
  call: PendingCall,
  suggested: JsonValue,
): TemplateResult {
  const { local } = context
  const words = wordsOf(context)
  const key = inputKey(toCallRef(context, call))
  const text = JSON.stringify(suggested)
  const original = JSON.stringify(call.input)
  const card = context.answeringCard(call)
  const use = ({ isTrusted }: Event): void => {
    if (!isTrusted) return
    if (card) return card.suggest?.(structuredClone(suggested))
    local.set(formKey(key), undefined)
    local.set(key, text === original ? undefined : text)
  }
  return html`<div class="suggested" part="suggestion">
    <p class="label">${words.suggestion}</p>
    <dl>${differences(context, call, suggested)}</dl>
    ${
      !card && (local.get<string>(key) ?? original) === text
        ? html`<p class="note">${words.inUse}</p>`
        : !card || card.suggest
          ? html`<button type="button" @click=${use}>${words.use}</button>`
          : nothing
    }
  </div>`
}

function differences(
  context: ChatContext,
  call: PendingCall,
  suggested: JsonValue,
): readonly TemplateResult[] {
  const { input } = call
  if (!isRecord(input) || !isRecord(suggested))
    return [changeView(context.words.input, input, suggested)]
  const schema = schemaOf(context, call)
  const keys = [...new Set([...Object.keys(input), ...Object.keys(suggested)])]
  return keys.flatMap((key) => {
    const before = Object.hasOwn(input, key) ? (input[key] as JsonValue) : undefined
    const after = Object.hasOwn(suggested, key) ? (suggested[key] as JsonValue) : undefined
    if (JSON.stringify(before) === JSON.stringify(after)) return []
    return [changeView(labelOf(key, schemaOfKey(schema, key)).label, before, after)]
  })
}

function changeView(
  label: string,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): TemplateResult {
  const [removed, added] = [itemsOf(before), itemsOf(after)]
  return html`<dt><small>${label}</small></dt>
    <dd>
      ${removed.map((item) => (added.includes(item) ? html`<span>${item}</span> ` : html`<del>${item}</del> `))}
      ${added.map((item) => (removed.includes(item) ? nothing : html`<ins>${item}</ins> `))}
    </dd>`
}

/** Returns the items of a list, or the value itself, as text for people. */
function itemsOf(value: JsonValue | undefined): readonly string[] {
  if (value === undefined) return []
  const items = Array.isArray(value) ? value : [value]
  return items.map((item) => (typeof item === 'string' ? visibleText(item) : showInput(item)))
}

const styles = css`
  .discussion {
    display: flex;
    flex-direction: column;
    gap: 0.75em;
    margin-block-start: 0.75em;
    padding-block-start: 0.75em;
    border-block-start: 1px solid var(--_line);
  }

  .discussion > button {
    align-self: start;
  }

  .asked-about {
    align-self: end;
    max-inline-size: 85%;
    padding: 0.375em 0.75em;
    border-radius: var(--_radius);
    background: var(--_own);
  }

  .suggested {
    padding: 0.75em;
    border: 1px dashed var(--_line);
    border-radius: var(--_radius);
  }

  .suggested dl {
    margin-block: 0.375em;
  }

  .suggested dd {
    margin: 0;
  }

  .suggested :is(del, ins, dd span) {
    white-space: pre-wrap;
  }

  .suggested del {
    color: var(--_problem);
  }

  .suggested ins {
    color: var(--_done);
    font-weight: 600;
    text-decoration: none;
  }
`
