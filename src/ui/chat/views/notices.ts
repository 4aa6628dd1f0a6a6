import { html, nothing, type TemplateResult } from 'lit'
import { problemKey } from '../local-keys.ts'
import type { ConversationSnapshot, ErrorData, PendingCall } from '../../../index.ts'
import type { ChatContext } from '../context.ts'
import { describeFailure } from '../parts/failures.ts'
import { sharedApprovalCalls } from '../parts/rows.ts'
import {
  type StateButton,
  STATES,
  type StateName,
  type StateEntry,
  statesOf,
  textIn,
} from '../parts/states.ts'
import { sentWhileLoading } from '../unsent-texts.ts'
import type { Details } from './details.ts'
import { loadedView } from './loaded-view.ts'
import { type Maybe, problemLine } from './problem.ts'

/** Shows notices about the run and its conversation, between messages and composer. */
export function noticesView(context: ChatContext): TemplateResult {
  return html`
    <div class="notices" part="notices">
      ${detailsOf(context)} ${stateViews(context, 'notice')}
      ${problemLine(context.local.get(problemKey('notices')))}
    </div>
  `
}

const detailsView = loadedView<[Details]>({ name: 'details', box: 'details' }, () =>
  import('./details.ts').then(({ detailsView }) => detailsView),
)

function detailsOf(context: ChatContext): Maybe {
  const { snapshot, around, local } = context
  const { plan, taint, consents, queued, runId } = snapshot
  const waiting = countUnseen(context)
  const lists = [taint, consents, queued, sentWhileLoading(snapshot, local)]
  const isEmpty = waiting === 0 && lists.every(({ length }) => length === 0)
  const otherNotice = plan ?? around.loading ?? around.unsent ?? local.get<string>(LEAVING)
  if (isEmpty && otherNotice === undefined) return nothing
  const { text, offers } = STATES['engine-loading']
  const cancel = runId === undefined ? nothing : offerView(context, offers)
  return detailsView(context, { waiting, loading: textIn(context, text), cancel })
}

/** Number of calls that wait for the person; 0 if all of them are in view. */
function countUnseen({ snapshot, isFollowing, renderers }: ChatContext): number {
  const waiting = waitingOf(snapshot).length
  const shared = sharedApprovalCalls(snapshot, (toolName) => Object.hasOwn(renderers, toolName))
  const cards = waiting - Math.max(0, shared.length - 1)
  return cards === 1 && isFollowing ? 0 : waiting
}

/** Returns the calls that wait for a person. */
export function waitingOf({
  pending,
}: Pick<ConversationSnapshot, 'pending'>): readonly PendingCall[] {
  return pending.filter(({ kind }) => kind !== 'output' && kind !== 'settlement')
}

/** Shows the conversation's current states for a place. */
export function stateViews(context: ChatContext, place: StateEntry['place']): Maybe[] {
  return statesOf(context.snapshot, context.around)
    .filter((name) => STATES[name].place === place)
    .map((name) => (VIEWS[name] ?? lineView)(context, STATES[name]))
}

type StateView = (context: ChatContext, row: StateEntry) => Maybe

/** Shows a spinner while the model is awaited. */
const waitView: StateView = (context, { text }) =>
  html`<p class="thinking" part="thinking"><span class="ring"></span>${textIn(context, text)}</p>`

/** Views of states that need more than a line and a button. */
const VIEWS: { readonly [name in StateName]?: StateView } = {
  'not-begun': (context, { offers }) => failureView(context, context.snapshot.error, offers),
  thinking: waitView,
  retrying: waitView,
}

function lineView(context: ChatContext, { text, offers }: StateEntry): Maybe {
  const line = textIn(context, text)
  return line ? html`<p class="notice">${line} ${offerView(context, offers)}</p>` : nothing
}

/** Shows why a run failed, with the server's own message as details. */
export function failureView(
  context: ChatContext,
  error: ErrorData | undefined,
  offer: StateButton | undefined,
): Maybe {
  if (!error) return nothing
  const { words, around } = context
  const { text, details } = describeFailure(error, words)
  // Offline, a notice already says so.
  const isServer = (error.code === 'network' || error.code === 'timeout') && !around.isOffline
  return html`<div
    class="notice problem failure"
    part="failure"
    role="group"
    aria-label=${words.failed}
  >
    <p>${text} ${isServer ? words.unreachable : nothing}</p>
    ${
      details &&
      html`<details>
        <summary>${words.details}</summary>
        <p class="plain">${details}</p>
      </details>`
    }
    ${offerView(context, offer)}
  </div>`
}

/** Key of the address that the person has to confirm. */
const LEAVING = 'leaving'

/** Requests confirmation before a link to another site opens, if the conversation has untrusted content. */
export function askBeforeLeaving({ snapshot, local }: ChatContext, event: Event): void {
  const link = (event.target as Element).closest<HTMLAnchorElement>(
    '.markdown a[href], .sources a[href]',
  )
  if (!link || snapshot.taint.length === 0 || link.origin === location.origin) return
  event.preventDefault()
  local.set(LEAVING, link.href)
}

/** Buttons of states that show one line of text. Other states have buttons in their own views. */
const BUTTONS: {
  readonly [offer in StateButton]?: (context: ChatContext) => readonly [string, () => void]
} = {
  cancel: ({ words, actions }) => [words.cancel, () => actions.stop()],
  continue: (context) => [context.words.continue, () => continueRun(context)],
  retry: (context) => [context.words.tryAgain, () => continueRun(context)],
  reply: ({ words, actions }) => [words.continue, () => void actions.send(words.continue)],
  'take-over': ({ words, actions, conversation }) => [
    words.takeOver,
    () =>
      void actions.perform({ name: 'take-over' }, () =>
        conversation.takeOver({ interrupted: 'ask' }),
      ),
  ],
}

export function continueRun({
  actions,
  conversation,
}: Pick<ChatContext, 'actions' | 'conversation'>): void {
  actions.perform({ name: 'continue' }, () => conversation.continue())
}

function offerView(context: ChatContext, offer: StateButton | undefined): Maybe {
  const [label, act] = (offer && BUTTONS[offer]?.(context)) || []
  return label === undefined ? nothing : html`<button type="button" @click=${act}>${label}</button>`
}
