import { TaskApp } from '../task-app'

export default function Page() {
  return <TaskApp />
}
