const call = (toolName, input = {}) => ({ toolCalls: [{ toolName, input }] })
const answer = (text) => ({ text: `${text} This answer is scripted.` })
const MILK = { title: 'Buy milk' }

/** Plays the model's server while there is no key. */
export const script = {
  paceMs: 20,
  scenes: [
    {
      match: ['add'],
      steps: [call('add_task', MILK), answer('I called `add_task` with “Buy milk”.')],
    },
    {
      match: ['done', 'complete'],
      steps: [call('complete_task', MILK), answer('I called `complete_task` with “Buy milk”.')],
    },
    {
      match: ['clear'],
      steps: [call('clear_tasks'), answer('You decided about `clear_tasks`.')],
    },
    {
      match: ['list'],
      steps: [call('list_tasks'), answer('I called `list_tasks`; its result is above.')],
    },
  ],
  fallback: [
    {
      text: 'I am a script on the server, not a model. Write “add”, “done”, “list” or “clear”, and I call a tool of the page. To connect a model, put a key into `.env`.',
    },
  ],
}
