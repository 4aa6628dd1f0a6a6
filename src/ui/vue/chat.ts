import {
  type AllowedComponentProps,
  type Component,
  defineComponent,
  h,
  inject,
  onMounted,
  shallowRef,
  Teleport,
  type VNode,
  type VNodeProps,
  watch,
} from 'vue'
import {
  type CallCardProps,
  CHAT_DEFAULTS,
  createCards,
  type GivenSettings,
  loadChat,
  setProperties,
} from '../bindings/chat-properties.ts'
import type { OffstageChat as ChatElement } from '../chat/index.ts'
import { AGENT } from './composables.ts'

/** Components by the name of the tool whose calls they render. */
export interface CallCards {
  readonly [toolName: string]: Component<CallCardProps>
}

/** Properties of `<offstage-chat>`. */
export interface OffstageChatProps extends Omit<GivenSettings, 'renderers'> {
  readonly renderers?: CallCards | undefined
}

/** Props of any type. `report` may be an attribute without a value, which is true. */
const PROPS = {
  ...Object.fromEntries(Object.keys(CHAT_DEFAULTS).map((name) => [name, null])),
  report: Boolean,
}

/** Renders `<offstage-chat>`. The first instance loads the element. `agent` defaults to the provider's. */
export const OffstageChat: new () => {
  $props: AllowedComponentProps & VNodeProps & OffstageChatProps
  $slots: { readonly default?: () => VNode[] }
  /** The element. */
  readonly element: ChatElement | null
} = /* @__PURE__ */ defineComponent({
  name: 'OffstageChat',
  inheritAttrs: false,
  props: PROPS,
  setup(props: OffstageChatProps, { attrs, slots, expose }) {
    const provided = inject(AGENT, null)
    const element = shallowRef<ChatElement | null>(null)
    expose({ element })
    const cards = createCards()
    const shown = shallowRef(cards.getSnapshot())
    cards.subscribe(() => {
      shown.value = cards.getSnapshot()
    })
    const settings = (): GivenSettings => {
      const agent = props.agent ?? provided?.value ?? null
      return { ...props, agent, renderers: cards.renderers(props.renderers ?? {}) }
    }
    let before = CHAT_DEFAULTS
    const apply = (newSettings: GivenSettings): void => {
      if (element.value) before = setProperties(element.value, newSettings, before)
    }
    onMounted(() => {
      loadChat()
      watch(settings, apply, { immediate: true })
    })
    return () => [
      h('offstage-chat', { ...attrs, ref: element }, slots.default?.()),
      ...shown.value.flatMap(({ key, call, container, respond }) => {
        const component = props.renderers?.[call.toolName]
        return component
          ? h(Teleport, { key, to: container }, [h(component, { call, respond })])
          : []
      }),
    ]
  },
}) as never
