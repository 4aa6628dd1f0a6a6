import {
  OffstageChat,
  OffstageProvider,
  useAgentContext,
  useConversation,
  useTool,
} from 'offstage/react'

function Panel() {
  const { snapshot, send } = useConversation('talk')
  const { snapshot: count } = useConversation('talk', ({ messages }) => messages.length)
  useTool({ name: 'nothing', description: 'Does nothing.', execute: () => 'nothing' })
  useAgentContext('A page.')
  const texts = snapshot.messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'text' ? part.text : [])),
  )
  return (
    <section>
      <h1>{`${count} messages, ${snapshot.status}`}</h1>
      <div role="log" aria-label="Panel">
        {texts.join(' ')}
      </div>
      <button onClick={() => send('A story, please')}>Story</button>
    </section>
  )
}

/** What a server renders, and the page takes over. */
export function Shell({ create }) {
  return (
    <OffstageProvider create={create}>
      <Panel />
      <OffstageChat className="chat" heading="Helper" conversationId="talk" />
    </OffstageProvider>
  )
}
