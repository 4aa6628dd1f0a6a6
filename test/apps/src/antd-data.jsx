import * as antd from 'antd'
import dayjs from 'dayjs'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'

const PLACES = [
  {
    value: 'it',
    label: 'Italy',
    children: [
      { value: 'lazio', label: 'Lazio', children: [{ value: 'rome', label: 'Rome' }] },
      { value: 'lombardy', label: 'Lombardy', children: [{ value: 'milan', label: 'Milan' }] },
    ],
  },
  {
    value: 'es',
    label: 'Spain',
    children: [{ value: 'madrid', label: 'Madrid region' }],
  },
]
const FILES = [
  {
    key: 'docs',
    title: 'Documents',
    children: [
      { key: 'letter', title: 'Letter' },
      { key: 'invoice', title: 'Invoice' },
    ],
  },
  { key: 'music', title: 'Music', children: [{ key: 'song', title: 'Song' }] },
]
const PEOPLE = Array.from({ length: 23 }, (_, index) => ({
  key: index + 1,
  name: `Person ${index + 1}`,
  age: 20 + ((index * 7) % 40),
  team: index % 2 ? 'Blue' : 'Red',
}))

/** Takes the dragged file out of its folder and puts it behind another file, or into another folder. */
function moved(folders, key, place) {
  const file = folders.flatMap(({ children }) => children).find((one) => one.key === key)
  return folders.map((folder) => {
    const rest = folder.children.filter((child) => child !== file)
    const behind = rest.findIndex((child) => child.key === place) + 1
    const at = folder.key === place ? rest.length : behind
    return {
      ...folder,
      children: at > 0 || folder.key === place ? rest.toSpliced(at, 0, file) : rest,
    }
  })
}

function App() {
  const [state, setState] = useState({
    place: [],
    checked: [],
    expanded: [],
    files: FILES,
    folder: undefined,
    day: '',
    range: [],
    tags: [],
    moved: [],
    page: 1,
    sorted: '',
    filtered: null,
    chosen: [],
    volume: 30,
    count: 3,
    time: '',
    colour: '#1677ff',
    uploaded: [],
    stars: 0,
    undone: false,
  })
  const [notes, holder] = antd.notification.useNotification()
  window.state = () => ({
    ...state,
    files: Object.fromEntries(
      state.files.map(({ key, children }) => [key, children.map((child) => child.key)]),
    ),
  })
  const set = (patch) => setState((before) => ({ ...before, ...patch }))
  return (
    <antd.Flex vertical gap={12} style={{ maxWidth: 640, padding: 16 }}>
      {holder}
      <antd.Cascader
        aria-label="Place"
        options={PLACES}
        placeholder="Where to"
        onChange={(place) => set({ place })}
      />
      <antd.TreeSelect
        aria-label="Folder"
        treeData={state.files.map(({ key, title, children }) => ({
          value: key,
          title,
          children: children.map((child) => ({ value: child.key, title: child.title })),
        }))}
        value={state.folder}
        onChange={(folder) => set({ folder })}
        style={{ width: 200 }}
      />
      <antd.Select
        aria-label="Tags"
        mode="tags"
        options={['Bug', 'Docs', 'Design'].map((value) => ({ value, label: value }))}
        value={state.tags}
        onChange={(tags) => set({ tags })}
      />
      <antd.DatePicker.RangePicker
        defaultPickerValue={[dayjs('2026-03-01'), dayjs('2026-04-01')]}
        onChange={(_, range) => set({ range })}
      />
      <antd.TimePicker aria-label="Start" format="HH:mm" onChange={(_, time) => set({ time })} />
      <antd.Slider
        ariaLabelForHandle="Volume"
        value={state.volume}
        onChange={(volume) => set({ volume })}
      />
      <antd.InputNumber
        aria-label="Count"
        min={0}
        max={9}
        value={state.count}
        onChange={(count) => set({ count })}
      />
      <antd.ColorPicker
        value={state.colour}
        showText
        onChange={(colour) => set({ colour: colour.toHexString() })}
      />
      <antd.Rate value={state.stars} onChange={(stars) => set({ stars })} />
      <antd.Tree
        aria-label="Files"
        checkable
        draggable
        treeData={state.files}
        onCheck={(checked) => set({ checked })}
        onExpand={(expanded) => set({ expanded })}
        onDrop={({ dragNode, node }) => set({ files: moved(state.files, dragNode.key, node.key) })}
      />
      <antd.Transfer
        dataSource={['Read', 'Write', 'Delete'].map((key) => ({ key, title: key }))}
        targetKeys={state.moved}
        render={(item) => item.title}
        onChange={(keys) => set({ moved: keys })}
        titles={['Rights', 'Granted']}
      />
      <antd.Upload
        beforeUpload={(file) => {
          set({ uploaded: [...state.uploaded, file.name] })
          return false
        }}
      >
        <antd.Button>Attach a file</antd.Button>
      </antd.Upload>
      <antd.Button
        onClick={() =>
          notes.open({
            message: 'Message sent',
            title: 'Message sent',
            description: 'It can be taken back for a while.',
            actions: <antd.Button onClick={() => set({ undone: true })}>Take back</antd.Button>,
          })
        }
      >
        Send
      </antd.Button>
      <antd.Table
        size="small"
        dataSource={PEOPLE}
        rowSelection={{ selectedRowKeys: state.chosen, onChange: (chosen) => set({ chosen }) }}
        columns={[
          { title: 'Name', dataIndex: 'name' },
          { title: 'Age', dataIndex: 'age', sorter: (a, b) => a.age - b.age },
          {
            title: 'Team',
            dataIndex: 'team',
            filters: ['Red', 'Blue'].map((value) => ({ text: value, value })),
            onFilter: (value, { team }) => team === value,
          },
        ]}
        onChange={(pages, { team }, { order }) =>
          set({ page: pages.current, filtered: team, sorted: order ?? '' })
        }
      />
      <antd.Calendar
        fullscreen={false}
        defaultValue={dayjs('2026-03-09')}
        onSelect={(day) => set({ day: day.format('YYYY-MM-DD') })}
      />
    </antd.Flex>
  )
}

createRoot(document.querySelector('#app')).render(<App />)
