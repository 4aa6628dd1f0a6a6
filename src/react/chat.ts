import {
  type ComponentType,
  createElement,
  forwardRef,
  type ForwardRefExoticComponent,
  Fragment,
  type HTMLAttributes,
  type ReactPortal,
  type RefAttributes,
  useContext,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { createPortal } from 'react-dom'
import { type CallCardProps, type Card, Cards } from '../bindings/cards.ts'
import {
  CHAT_DEFAULTS,
  type GivenSettings,
  loadChat,
  setProperties,
} from '../bindings/chat-properties.ts'
import type { OffstageChat as ChatElement } from '../chat/index.ts'
import { AgentContext } from './context.ts'

/** Components by the name of the tool whose calls they draw. */
export interface CallCards {
  readonly [toolName: string]: ComponentType<CallCardProps>
}

/** Those of `<offstage-chat>`, and attributes. */
export interface OffstageChatProps
  extends Omit<GivenSettings, 'renderers'>, HTMLAttributes<HTMLElement> {
  readonly renderers?: CallCards | undefined
}

const NO_CARDS: CallCards = {}

/** `<offstage-chat>`, which is loaded with the first one. `agent`: default that of the provider; `ref`: the element. */
export const OffstageChat: ForwardRefExoticComponent<
  OffstageChatProps & RefAttributes<ChatElement>
> = /* @__PURE__ */ forwardRef<ChatElement, OffstageChatProps>(function OffstageChat(props, ref) {
  const { renderers = NO_CARDS, className, children, ...more } = props
  const {
    agent,
    conversationId,
    placement,
    theme,
    heading,
    suggestions,
    words,
    markdown,
    answers,
    ...rest
  } = more
  const provided = useContext(AgentContext)
  const element = useRef<ChatElement>(null)
  const before = useRef(CHAT_DEFAULTS)
  const [cards] = useState(() => new Cards())
  const shown = useSyncExternalStore(cards.subscribe, cards.getSnapshot, cards.getSnapshot)
  const names = JSON.stringify(Object.keys(renderers))
  const drawn = useMemo(() => cards.renderers(JSON.parse(names) as string[]), [cards, names])

  useImperativeHandle(ref, () => element.current as ChatElement, [])
  useEffect(loadChat, [])
  useEffect(() => {
    if (!element.current) return
    const look = { placement, theme, heading, suggestions, words, markdown, answers }
    const given = { ...look, agent: agent ?? provided, conversationId, renderers: drawn }
    before.current = setProperties(element.current, given, before.current)
  })

  const attributes = { ...rest, class: className, ref: element, suppressHydrationWarning: true }
  const portals = shown.map((card) => portal(card, renderers))
  return createElement(
    Fragment,
    null,
    createElement('offstage-chat', attributes, children),
    portals,
  )
})

function portal({ key, call, container, respond }: Card, renderers: CallCards): ReactPortal | null {
  const drawing = renderers[call.toolName]
  return drawing
    ? createPortal(createElement(drawing, { call, respond }), container, String(key))
    : null
}
