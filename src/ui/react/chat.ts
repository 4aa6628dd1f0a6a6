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
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { createPortal } from 'react-dom'
import {
  type CallCardProps,
  type Card,
  CHAT_DEFAULTS,
  createCards,
  type GivenSettings,
  loadChat,
  setProperties,
} from '../bindings/chat-properties.ts'
import type { ChatEvents, OffstageChat as ChatElement } from '../chat/index.ts'
import { AgentContext } from './hooks.ts'

/** Components that draw a tool's calls, by the tool's name. */
export interface CallCards {
  readonly [toolName: string]: ComponentType<CallCardProps>
}

/** Listeners for the element's events, such as `onoffstage-feedback`. Needs React 19 or later. */
export type ChatListeners = {
  readonly [Type in keyof ChatEvents as `on${Type}`]?:
    | ((event: ChatEvents[Type]) => void)
    | undefined
}

/** Properties, events and HTML attributes of `<offstage-chat>`. */
export interface OffstageChatProps
  extends Omit<GivenSettings, 'renderers'>, HTMLAttributes<HTMLElement>, ChatListeners {
  readonly renderers?: CallCards | undefined
}

/**
 * Renders `<offstage-chat>`, and loads the element on first use. `agent` defaults to the provider's. `ref` is the
 * element.
 */
export const OffstageChat: ForwardRefExoticComponent<
  OffstageChatProps & RefAttributes<ChatElement>
> = /* @__PURE__ */ forwardRef<ChatElement, OffstageChatProps>(function OffstageChat(props, ref) {
  const { renderers = {}, className, children, ...more } = props
  const [settings, attributes] = splitProps(more)
  const provided = useContext(AgentContext)
  const element = useRef<ChatElement>(null)
  const before = useRef(CHAT_DEFAULTS)
  const [cards] = useState(createCards)
  const shown = useSyncExternalStore(cards.subscribe, cards.getSnapshot, cards.getSnapshot)

  useImperativeHandle(ref, () => element.current as ChatElement, [])
  useEffect(loadChat, [])
  useEffect(() => {
    if (!element.current) return
    const next = {
      ...settings,
      agent: settings.agent ?? provided,
      renderers: cards.renderers(renderers),
    }
    before.current = setProperties(element.current, next, before.current)
  })

  const portals = shown.map((card) => portal(card, renderers))
  return createElement(
    Fragment,
    null,
    createElement(
      'offstage-chat',
      { ...attributes, class: className, ref: element, suppressHydrationWarning: true },
      children,
    ),
    portals,
  )
})

/** Splits props into properties of the element and the rest. */
function splitProps(props: object): readonly [GivenSettings, object] {
  const settings: Record<string, unknown> = {}
  const attributes: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(props))
    (name in CHAT_DEFAULTS ? settings : attributes)[name] = value
  return [settings, attributes]
}

function portal({ key, call, container, respond }: Card, renderers: CallCards): ReactPortal | null {
  const component = renderers[call.toolName]
  return component
    ? createPortal(createElement(component, { call, respond }), container, String(key))
    : null
}
