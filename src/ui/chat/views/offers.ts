import { html, nothing, type TemplateResult } from 'lit'
import type { ChatContext } from '../context.ts'
import type { Offer } from '../parts/states.ts'

/** Buttons of states that show one line of text. Other offers have buttons in their own views. */
const BUTTONS: {
  readonly [offer in Offer]?: (context: ChatContext) => readonly [string, () => void]
} = {
  cancel: ({ words, actions }) => [words.cancel, () => actions.stop()],
  continue: (context) => [context.words.goOn, () => goOn(context)],
  retry: (context) => [context.words.tryAgain, () => goOn(context)],
  reply: ({ words, actions }) => [words.goOn, () => void actions.send(words.goOn)],
  'take-over': ({ words, actions, conversation }) => [
    words.takeOver,
    () =>
      void actions.perform({ name: 'take-over' }, () =>
        conversation.takeOver({ interrupted: 'ask' }),
      ),
  ],
}

export function goOn({
  actions,
  conversation,
}: Pick<ChatContext, 'actions' | 'conversation'>): void {
  actions.perform({ name: 'continue' }, () => conversation.continue())
}

export function offerView(
  context: ChatContext,
  offer: Offer | undefined,
): TemplateResult | typeof nothing {
  const [label, act] = (offer && BUTTONS[offer]?.(context)) || []
  return label === undefined ? nothing : html`<button type="button" @click=${act}>${label}</button>`
}
