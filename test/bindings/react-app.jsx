import { memo, StrictMode, Suspense, use, useEffect, useState } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { discussionId, readDiscussion } from 'offstage/conversation'
import {
  OffstageChat,
  OffstageProvider,
  useAgent,
  useAgentContext,
  useConversation,
  useTool,
} from 'offstage/react'
import { callsOf, expose, held, makeAgent, ORDER, seen, textsOf } from './scene.js'
import { Shell } from './react-shell.jsx'

const { renders, agents, inputTexts } = seen

function Log() {
  const { snapshot, send } = useConversation()
  renders.whole += 1
  return (
    <section>
      <div role="log">{textsOf(snapshot).join(' ')}</div>
      <output>{callsOf(snapshot).map(({ status, output }) => `${status} ${output?.value}`)}</output>
      <button onClick={() => send('An order, please')}>Order</button>
      <button onClick={() => send('A story, please')}>Story</button>
    </section>
  )
}

function Order({ execute, ...more }) {
  useTool({ ...ORDER, inputSchema: { ...ORDER.inputSchema }, execute, ...more })
  return null
}

function Count() {
  const { snapshot } = useConversation(null, ({ messages }) => messages.length)
  renders.count += 1
  return <b id="count">{snapshot}</b>
}

const Pair = memo(() => {
  const { snapshot } = useConversation(null, ({ status, messages }) => ({
    status,
    last: messages.at(-1)?.role,
  }))
  renders.pair += 1
  return <i id="pair">{`${snapshot.status} ${snapshot.last}`}</i>
})

/** Tools whose function says how often the component was rendered. */
function Clicks() {
  const [clicks, setClicks] = useState(0)
  useAgentContext(`clicks: ${clicks}`)
  useTool({ ...ORDER, execute: async () => `${clicks} clicks` }, [])
  return <button onClick={() => setClicks(clicks + 1)}>Click</button>
}

function Remounted() {
  const [key, setKey] = useState(0)
  return (
    <>
      <Order key={key} execute={held} />
      <button onClick={() => setKey(key + 1)}>Remount</button>
    </>
  )
}

let settle
let wait = Promise.resolve()

function Suspending() {
  const [, setCount] = useState(0)
  useTool({ ...ORDER, execute: held })
  use(wait)
  return (
    <button
      onClick={() => {
        wait = new Promise((resolve) => (settle = resolve))
        setCount((count) => count + 1)
      }}
    >
      Suspend
    </button>
  )
}

function Twins() {
  const [isSecond, setSecond] = useState(true)
  return (
    <>
      <Order execute={() => 'of the first'} />
      {isSecond && <Order execute={() => 'of the second'} />}
      <button onClick={() => setSecond(false)}>Take the second away</button>
    </>
  )
}

function Card({ call, respond }) {
  const [note, setNote] = useState('')
  const agent = useAgent()
  if (call.inputText !== undefined) inputTexts.push(call.inputText)
  return (
    <article aria-label="Order card" data-agent={agent === agents[0]}>
      <p>{`${call.status}: ${JSON.stringify(call.input)}`}</p>
      <p>{JSON.stringify(call.progress)}</p>
      <p>{call.output?.value}</p>
      <input aria-label="Note" value={note} onChange={({ target }) => setNote(target.value)} />
      {call.status === 'awaiting-approval' && (
        <button onClick={() => respond(true)}>{`Book it ${note}`}</button>
      )}
    </article>
  )
}

function Chat() {
  const [placement, setPlacement] = useState()
  return (
    <>
      <OffstageChat
        id="chat"
        className="tall"
        style={{ height: '80vh' }}
        placement={placement}
        suggestions={['An order, please']}
        renderers={{ order: Card }}
        onoffstage-send={({ detail }) => seen.sent.push(detail.text)}
        ref={(element) => {
          window.chat = element
        }}
      />
      <Order execute={held} needsApproval />
      <button onClick={() => setPlacement(placement ? undefined : 'panel')}>Place</button>
    </>
  )
}

function Desk() {
  const { snapshot, send } = useConversation('desk')
  const [call] = snapshot.pending
  return (
    <section>
      <p>{textsOf(snapshot).join(' ')}</p>
      <output>{callsOf(snapshot).map(({ status, output }) => `${status} ${output?.value}`)}</output>
      <button onClick={() => send('An order, please')}>Order</button>
      {call && <Discussion call={call} />}
    </section>
  )
}

function Discussion({ call }) {
  const { conversation, approve } = useConversation('desk')
  const id = discussionId({ conversationId: 'desk', ...call })
  const { snapshot: entries } = useConversation(id, readDiscussion)
  const suggestion = entries.at(-1)?.suggestions.at(-1)
  return (
    <>
      <div role="log">
        {entries.map(({ question, answer }) => `${question} ${answer}`).join(' ')}
      </div>
      <button onClick={() => void conversation.discuss(call, 'Rather a cup?')}>Ask</button>
      {suggestion && (
        <button onClick={() => void approve(call, { input: suggestion })}>Use it</button>
      )}
    </>
  )
}

function Mounted() {
  const agent = useAgent()
  useEffect(() => {
    if (agent) document.documentElement.dataset.agent = ''
  }, [agent])
  return null
}

const scenes = {
  plain: () => (
    <>
      <Log />
      <Order execute={held} />
    </>
  ),
  remount: () => (
    <>
      <Log />
      <Remounted />
    </>
  ),
  closure: () => (
    <>
      <Log />
      <Clicks />
    </>
  ),
  select: () => (
    <>
      <Log />
      <Count />
      <Pair />
    </>
  ),
  suspense: () => (
    <>
      <Log />
      <Suspense fallback="Waiting">
        <Suspending />
      </Suspense>
    </>
  ),
  twins: () => (
    <>
      <Log />
      <Twins />
    </>
  ),
  chat: () => <Chat />,
  discuss: () => (
    <>
      <Desk />
      <Order execute={async ({ sku }) => `a ${sku}`} needsApproval />
    </>
  ),
}

expose({
  mount(name, { isStrict, model }) {
    const Scene = scenes[name]
    const scene = (
      <OffstageProvider create={() => makeAgent(model && { model })}>
        <Scene />
        <Mounted />
      </OffstageProvider>
    )
    const root = createRoot(document.querySelector('#app'))
    root.render(isStrict ? <StrictMode>{scene}</StrictMode> : scene)
    return () => root.unmount()
  },
  hydrate() {
    const onRecoverableError = (error) => console.error(error)
    const shell = <Shell create={() => makeAgent()} />
    hydrateRoot(document.querySelector('#app'), shell, { onRecoverableError })
  },
})

window.settle = () => settle()
