import { DragDropContext, Draggable, Droppable } from '@hello-pangea/dnd'
import { useMemo, useState } from 'react'
import { createRoot } from 'react-dom/client'
import Select from 'react-select'
import CreatableSelect from 'react-select/creatable'
import { List } from 'react-window'
import { createEditor, Editor, Node } from 'slate'
import { Editable, Slate, withReact } from 'slate-react'

const FRUITS = ['Apple', 'Banana', 'Cherry', 'Date'].map((label) => ({ label, value: label }))

function Pickers({ set }) {
  return (
    <>
      <Select aria-label="Fruit" options={FRUITS} onChange={(one) => set({ fruit: one?.value })} />
      <Select
        aria-label="Fruits"
        isMulti
        options={FRUITS}
        onChange={(all) => set({ fruits: all.map(({ value }) => value) })}
      />
      <CreatableSelect
        aria-label="Labels"
        isMulti
        options={FRUITS}
        onChange={(all) => set({ labels: all.map(({ value }) => value) })}
      />
    </>
  )
}

function Task({ name, index }) {
  return (
    <Draggable draggableId={name} index={index}>
      {({ innerRef, draggableProps, dragHandleProps }) => (
        <li
          ref={innerRef}
          {...draggableProps}
          {...dragHandleProps}
          style={{ padding: 8, border: '1px solid', ...draggableProps.style }}
        >
          {name}
        </li>
      )}
    </Draggable>
  )
}

function Tasks({ tasks, set }) {
  const drop = ({ source, destination }) => {
    const task = tasks[source.index]
    const rest = tasks.filter((one) => one !== task)
    if (destination) set({ tasks: rest.toSpliced(destination.index, 0, task) })
  }
  return (
    <DragDropContext onDragEnd={drop}>
      <Droppable droppableId="tasks">
        {({ innerRef, droppableProps, placeholder }) => (
          <ul ref={innerRef} {...droppableProps} style={{ width: 200, padding: 0 }}>
            {tasks.map((name, index) => (
              <Task key={name} name={name} index={index} />
            ))}
            {placeholder}
          </ul>
        )}
      </Droppable>
    </DragDropContext>
  )
}

function Row({ index, style, onPick }) {
  return (
    <div style={style}>
      <button onClick={() => onPick(index)}>Row {index}</button>
    </div>
  )
}

const START = [{ type: 'paragraph', children: [{ text: 'A first line' }] }]

function Notes({ set }) {
  const editor = useMemo(() => withReact(createEditor()), [])
  const look = () =>
    set({
      notes: Node.string(editor),
      selected: editor.selection ? Editor.string(editor, editor.selection) : '',
      bold: [...Node.texts(editor)].filter(([{ bold }]) => bold).map(([{ text }]) => text),
    })
  return (
    <Slate editor={editor} initialValue={START} onChange={look}>
      <button
        onMouseDown={(event) => {
          event.preventDefault()
          Editor.addMark(editor, 'bold', true)
        }}
      >
        Bold
      </button>
      <Editable
        aria-label="Notes"
        renderLeaf={({ attributes, children, leaf }) => (
          <span {...attributes} style={{ fontWeight: leaf.bold ? 'bold' : 'normal' }}>
            {children}
          </span>
        )}
      />
    </Slate>
  )
}

function App() {
  const [state, setState] = useState({
    fruit: '',
    fruits: [],
    labels: [],
    tasks: ['Write', 'Test', 'Ship'],
    row: -1,
    notes: '',
    selected: '',
    bold: [],
  })
  window.state = () => state
  const set = (patch) => setState((before) => ({ ...before, ...patch }))
  return (
    <main style={{ maxWidth: 480 }}>
      <Pickers set={set} />
      <Tasks tasks={state.tasks} set={set} />
      <Notes set={set} />
      <List
        aria-label="Rows"
        rowComponent={Row}
        rowCount={5000}
        rowHeight={30}
        rowProps={{ onPick: (row) => set({ row }) }}
        style={{ height: 150 }}
      />
    </main>
  )
}

createRoot(document.querySelector('#app')).render(<App />)
