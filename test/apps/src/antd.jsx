import {
  Button,
  Cascader,
  Checkbox,
  DatePicker,
  Input,
  InputNumber,
  Modal,
  Popconfirm,
  Select,
  Switch,
  Table,
  Tabs,
  Tree,
} from 'antd'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'

const CITIES = Array.from({ length: 300 }, (_, index) => ({
  value: `c${index}`,
  label: `City ${index}`,
}))

function App() {
  const [state, setState] = useState({
    city: undefined,
    date: '',
    amount: 1,
    on: false,
    ok: false,
    text: '',
    tab: '1',
    rows: [1, 2, 3],
    checked: [],
    open: false,
    path: [],
  })
  window.state = () => state
  const set = (patch) => setState((before) => ({ ...before, ...patch }))
  const columns = [
    { title: 'Name', dataIndex: 'name', sorter: (a, b) => a.key - b.key },
    {
      title: 'Action',
      render: (_, { key }) => (
        <Popconfirm
          title="Sure?"
          okText="Yes"
          onConfirm={() => set({ rows: state.rows.filter((row) => row !== key) })}
        >
          <Button>Delete {key}</Button>
        </Popconfirm>
      ),
    },
  ]
  return (
    <main>
      <Input
        aria-label="Text"
        value={state.text}
        onChange={(event) => set({ text: event.target.value })}
      />
      <Select
        aria-label="City"
        showSearch={{ optionFilterProp: 'label' }}
        style={{ width: 200 }}
        options={CITIES}
        value={state.city}
        onChange={(city) => set({ city })}
      />
      <DatePicker aria-label="Date" onChange={(_, date) => set({ date })} />
      <InputNumber
        aria-label="Amount"
        value={state.amount}
        onChange={(amount) => set({ amount })}
      />
      <Switch aria-label="Wifi" checked={state.on} onChange={(on) => set({ on })} />
      <Checkbox checked={state.ok} onChange={(event) => set({ ok: event.target.checked })}>
        Agree
      </Checkbox>
      <Cascader
        aria-label="Place"
        options={[{ value: 'it', label: 'Italy', children: [{ value: 'rome', label: 'Rome' }] }]}
        onChange={(path) => set({ path })}
      />
      <Tabs
        activeKey={state.tab}
        onChange={(tab) => set({ tab })}
        items={[
          { key: '1', label: 'First', children: 'One' },
          { key: '2', label: 'Second', children: 'Two' },
        ]}
      />
      <Tree
        checkable
        treeData={[{ key: 'p', title: 'Parent', children: [{ key: 'k', title: 'Kid' }] }]}
        onCheck={(checked) => set({ checked })}
      />
      <Table
        pagination={false}
        columns={columns}
        dataSource={state.rows.map((key) => ({ key, name: `Row ${key}` }))}
      />
      <Button onClick={() => set({ open: true })}>Open modal</Button>
      <Modal
        title="Modal"
        open={state.open}
        onOk={() => set({ open: false, text: 'confirmed' })}
        onCancel={() => set({ open: false })}
      >
        Content
      </Modal>
    </main>
  )
}

createRoot(document.querySelector('#app')).render(<App />)
