import { html, nothing, type TemplateResult } from 'lit'
import { visibleText } from '../../conversation/index.ts'
import type { PendingCall, QuestionAnswer } from '../../index.ts'
import type { ChatContext } from '../context.ts'
import { refOf } from '../parts/call-ref.ts'
import { contentOf } from '../parts/form-content.ts'
import { fieldView } from './field.ts'

/** Shows the agent's question: a choice, a text or a form. All of its words are a model's, and shown as text. */
export function questionView(context: ChatContext, call: PendingCall): TemplateResult {
  const { agent, words, actions } = context
  const { question, toolCallId: key } = call
  const fields = question?.fields
  const send = (answer: string | QuestionAnswer): void =>
    void actions.perform({ name: 'answer', detail: { call, answer }, key }, () =>
      agent.answer(refOf(context, call), answer),
    )
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    if (fields) send({ action: 'accept', content: contentOf(fields, form) })
    else send(String(new FormData(form).get('answer') ?? ''))
  }
  return html`
    <form class="question" part="question" @submit=${submit}>
      <p class="plain">${visibleText(question?.question ?? '')}</p>
      ${
        fields
          ? Object.entries(fields.properties).map(([name, schema]) =>
              fieldView(words, name, {
                schema,
                isRequired: fields.required?.includes(name) === true,
                isSensitive: question?.sensitive?.includes(name) === true,
              }),
            )
          : html`
              ${optionsView(question?.options ?? [], send)}
              <input name="answer" required autocomplete="off" aria-label=${words.answer} />
            `
      }
      <div class="buttons">
        <button class="primary">${words.answer}</button>
        <button type="button" @click=${() => send({ action: 'decline' })}>
          ${words.ratherNot}
        </button>
      </div>
    </form>
  `
}

function optionsView(
  options: readonly string[],
  send: (answer: string) => void,
): TemplateResult | typeof nothing {
  if (options.length === 0) return nothing
  return html`<div class="buttons">
    ${options.map(
      (option) =>
        html`<button type="button" @click=${() => send(option)}>${visibleText(option)}</button>`,
    )}
  </div>`
}
