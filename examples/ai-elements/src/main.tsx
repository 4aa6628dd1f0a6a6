import { loadUIMessages } from 'offstage/ai-sdk'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createTaskAgent } from './agent'
import { Chat } from './chat'
import { TaskPage } from './task-page'

const CONVERSATION = 'tasks'

const container = document.querySelector('#app')
if (container === null) throw new Error('The page has no element #app.')
const agent = createTaskAgent()
const storedMessages = await loadUIMessages(agent, CONVERSATION)

createRoot(container).render(
  <StrictMode>
    <div className="grid md:grid-cols-[minmax(0,1fr)_24rem]">
      <TaskPage />
      <Chat agent={agent} conversationId={CONVERSATION} storedMessages={storedMessages} />
    </div>
  </StrictMode>,
)
