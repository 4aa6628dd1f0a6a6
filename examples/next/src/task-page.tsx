import { useSyncExternalStore } from 'react'
import { addTask, onTasksChange, readTasks, setTaskDone, type Task } from './tasks'

/** Shows the list once it is in a browser: a server can't read it. */
export function TaskPage() {
  const tasks = useSyncExternalStore<readonly Task[] | null>(onTasksChange, readTasks, () => null)
  return (
    <main className="page">
      <header className="head">
        <h1>Tasks</h1>
        <p className="summary" role="status">
          {tasks && describeProgress(tasks)}
        </p>
      </header>
      <form className="add" action={addFromForm}>
        <input
          name="title"
          aria-label="New task"
          placeholder="What is to be done?"
          autoComplete="off"
          required
        />
        <button>Add</button>
      </form>
      {tasks && <TaskList tasks={tasks} />}
    </main>
  )
}

function TaskList({ tasks }: { readonly tasks: readonly Task[] }) {
  if (tasks.length === 0)
    return <p className="empty">Nothing to do. Add a task, or ask the assistant.</p>
  return (
    <ul className="tasks">
      {tasks.map((task) => (
        <TaskRow key={task.id} {...task} />
      ))}
    </ul>
  )
}

function TaskRow({ id, title, done }: Task) {
  return (
    <li>
      <label>
        <input type="checkbox" checked={done} onChange={() => setTaskDone(id, !done)} />
        <span>{title}</span>
      </label>
    </li>
  )
}

function describeProgress(tasks: readonly Task[]): string {
  const done = tasks.filter((task) => task.done).length
  return tasks.length === 0 ? '' : `${done} of ${tasks.length} done`
}

function addFromForm(form: FormData): void {
  const title = String(form.get('title')).trim()
  if (title !== '') addTask(title)
}
