import { AssistantRuntimeProvider } from '@assistant-ui/react'
import { createTaskAgent } from './agent'
import { useOffstageRuntime } from './offstage-runtime.jsx'
import { TaskPage } from './task-page'
import { Thread } from './thread'

const agent = createTaskAgent()

export function App() {
  const runtime = useOffstageRuntime(agent, 'tasks')
  return (
    <div className="layout">
      <TaskPage />
      <AssistantRuntimeProvider runtime={runtime}>
        <Thread />
      </AssistantRuntimeProvider>
    </div>
  )
}
