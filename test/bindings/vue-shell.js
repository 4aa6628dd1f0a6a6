import { defineComponent, h } from 'vue'
import {
  OffstageChat,
  OffstageProvider,
  useAgentContext,
  useConversation,
  useTool,
} from 'offstage/vue'

const Panel = defineComponent(() => {
  const { snapshot, send } = useConversation('talk')
  const { snapshot: count } = useConversation('talk', ({ messages }) => messages.length)
  useTool({ name: 'nothing', description: 'Does nothing.', execute: () => 'nothing' })
  useAgentContext('A page.')
  return () => {
    const { messages, status } = snapshot.value
    const texts = messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'text' ? part.text : [])),
    )
    return h('section', [
      h('h1', `${count.value} messages, ${status}`),
      h('div', { role: 'log', 'aria-label': 'Panel' }, texts.join(' ')),
      h('button', { onClick: () => send('A story, please') }, 'Story'),
    ])
  }
})

/** What a server renders, and the page takes over. */
export const Shell = defineComponent(
  (props) => () =>
    h(OffstageProvider, { create: props.create }, () => [
      h(Panel),
      h(OffstageChat, { class: 'chat', heading: 'Helper', conversationId: 'talk' }),
    ]),
  { props: ['create'] },
)
