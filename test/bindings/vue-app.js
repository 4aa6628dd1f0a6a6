import { createApp, createSSRApp, defineComponent, h, ref, shallowRef, watch } from 'vue'
import {
  OffstageChat,
  OffstageProvider,
  useAgent,
  useAgentContext,
  useConversation,
  useTool,
} from 'offstage/vue'
import { discussionId, readDiscussion } from 'offstage/conversation'
import { callsOf, expose, held, makeAgent, ORDER, seen, textsOf } from './scene.js'
import { Shell } from './vue-shell.js'

const { renders, agents, inputTexts } = seen

const Log = defineComponent(() => {
  const { snapshot, send } = useConversation()
  return () => {
    renders.whole += 1
    return h('section', [
      h('div', { role: 'log' }, textsOf(snapshot.value).join(' ')),
      h(
        'output',
        callsOf(snapshot.value).map(({ status, output }) => `${status} ${output?.value}`),
      ),
      h('button', { onClick: () => send('An order, please') }, 'Order'),
      h('button', { onClick: () => send('A story, please') }, 'Story'),
    ])
  }
})

const Order = defineComponent(
  (props) => {
    const { execute, ...more } = props.tool
    useTool({ ...ORDER, execute, ...more })
    return () => null
  },
  { props: ['tool'] },
)

const Count = defineComponent(() => {
  const { snapshot } = useConversation(null, ({ messages }) => messages.length)
  return () => {
    renders.count += 1
    return h('b', { id: 'count' }, snapshot.value)
  }
})

const Pair = defineComponent(() => {
  const { snapshot } = useConversation(null, ({ status, messages }) => ({
    status,
    last: messages.at(-1)?.role,
  }))
  return () => {
    renders.pair += 1
    return h('i', { id: 'pair' }, `${snapshot.value.status} ${snapshot.value.last}`)
  }
})

/** A tool that is made anew, whose function says how often it was. */
const Clicks = defineComponent(() => {
  const clicks = ref(0)
  useAgentContext(() => `clicks: ${clicks.value}`)
  useTool(() => {
    const now = clicks.value
    return { ...ORDER, execute: async () => `${now} clicks` }
  })
  return () => h('button', { onClick: () => (clicks.value += 1) }, 'Click')
})

const Remounted = defineComponent(() => {
  const key = ref(0)
  return () => [
    h(Order, { key: key.value, tool: { execute: held } }),
    h('button', { onClick: () => (key.value += 1) }, 'Remount'),
  ]
})

const Twins = defineComponent(() => {
  const isSecond = ref(true)
  return () => [
    h(Order, { tool: { execute: () => 'of the first' } }),
    isSecond.value && h(Order, { tool: { execute: () => 'of the second' } }),
    h('button', { onClick: () => (isSecond.value = false) }, 'Take the second away'),
  ]
})

const Card = defineComponent(
  (props) => {
    const note = ref('')
    const agent = useAgent()
    return () => {
      const { call, respond } = props
      if (call.inputText !== undefined) inputTexts.push(call.inputText)
      return h('article', { 'aria-label': 'Order card', 'data-agent': agent.value === agents[0] }, [
        h('p', `${call.status}: ${JSON.stringify(call.input)}`),
        h('p', JSON.stringify(call.progress)),
        h('p', call.output?.value),
        h('input', { 'aria-label': 'Note', onInput: ({ target }) => (note.value = target.value) }),
        call.status === 'awaiting-approval' &&
          h('button', { onClick: () => respond(true) }, `Book it ${note.value}`),
      ])
    }
  },
  { props: ['call', 'respond'] },
)

const Chat = defineComponent(() => {
  const placement = ref()
  const chat = shallowRef(null)
  watch(chat, (shown) => (window.chat = shown?.element))
  return () => [
    h(OffstageChat, {
      id: 'chat',
      class: 'tall',
      style: { height: '80vh' },
      placement: placement.value,
      suggestions: ['An order, please'],
      renderers: { order: Card },
      onOffstageSend: ({ detail }) => seen.sent.push(detail.text),
      ref: chat,
    }),
    h(Order, { tool: { execute: held, needsApproval: true } }),
    h(
      'button',
      { onClick: () => (placement.value = placement.value ? undefined : 'panel') },
      'Place',
    ),
  ]
})

const Desk = defineComponent(() => {
  const { snapshot, send } = useConversation('desk')
  return () => {
    const [call] = snapshot.value.pending
    return h('section', [
      h('p', textsOf(snapshot.value).join(' ')),
      h(
        'output',
        callsOf(snapshot.value).map(({ status, output }) => `${status} ${output?.value}`),
      ),
      h('button', { onClick: () => send('An order, please') }, 'Order'),
      call && h(Discussion, { call }),
    ])
  }
})

const Discussion = defineComponent(
  (props) => {
    const { conversation, approve } = useConversation('desk')
    const id = () => discussionId({ conversationId: 'desk', ...props.call })
    const { snapshot: entries } = useConversation(id, readDiscussion)
    return () => {
      const suggestion = entries.value.at(-1)?.suggestions.at(-1)
      return [
        h(
          'div',
          { role: 'log' },
          entries.value.map(({ question, answer }) => `${question} ${answer}`).join(' '),
        ),
        h(
          'button',
          { onClick: () => conversation.value.discuss(props.call, 'Rather a cup?') },
          'Ask',
        ),
        suggestion &&
          h('button', { onClick: () => approve(props.call, { input: suggestion }) }, 'Use it'),
      ]
    }
  },
  { props: ['call'] },
)

const Mounted = defineComponent(() => {
  const agent = useAgent()
  watch(agent, (now) => now && (document.documentElement.dataset.agent = ''))
  return () => null
})

const scenes = {
  plain: () => [h(Log), h(Order, { tool: { execute: held } })],
  remount: () => [h(Log), h(Remounted)],
  closure: () => [h(Log), h(Clicks)],
  select: () => [h(Log), h(Count), h(Pair)],
  twins: () => [h(Log), h(Twins)],
  chat: () => h(Chat),
  discuss: () => [
    h(Desk),
    h(Order, { tool: { execute: async ({ sku }) => `a ${sku}`, needsApproval: true } }),
  ],
}

expose({
  mount(name, { model }) {
    const create = () => makeAgent(model && { model })
    const scene = () => h(OffstageProvider, { create }, () => [scenes[name](), h(Mounted)])
    const app = createApp(scene)
    app.mount('#app')
    return () => app.unmount()
  },
  hydrate: () => void createSSRApp(Shell, { create: () => makeAgent() }).mount('#app'),
})
