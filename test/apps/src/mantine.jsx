import '@mantine/core/styles.css'
import '@mantine/dates/styles.css'
import {
  Button,
  Checkbox,
  MantineProvider,
  Menu,
  Modal,
  MultiSelect,
  NumberInput,
  SegmentedControl,
  Select,
  Slider,
  Switch,
  Tabs,
  TextInput,
} from '@mantine/core'
import { DatePickerInput } from '@mantine/dates'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'

function App() {
  const [state, setState] = useState({
    text: '',
    fruit: null,
    many: [],
    on: false,
    agreed: false,
    volume: 10,
    amount: 1,
    view: 'list',
    tab: 'one',
    open: false,
    confirmed: false,
    picked: '',
    day: null,
  })
  window.state = () => ({ ...state })
  const set = (key) => (value) => setState((now) => ({ ...now, [key]: value }))
  const checked = (key) => (event) => set(key)(event.currentTarget.checked)
  return (
    <MantineProvider>
      <TextInput
        label="Name"
        value={state.text}
        onChange={(event) => set('text')(event.currentTarget.value)}
      />
      <Select
        label="Fruit"
        data={['Apple', 'Banana', 'Cherry']}
        searchable
        value={state.fruit}
        onChange={set('fruit')}
      />
      <MultiSelect
        label="Colours"
        data={['Red', 'Green', 'Blue']}
        value={state.many}
        onChange={set('many')}
      />
      <NumberInput label="Amount" value={state.amount} onChange={set('amount')} />
      <DatePickerInput
        label="Day"
        defaultDate="2026-03-01"
        value={state.day}
        onChange={set('day')}
      />
      <Switch label="Wifi" checked={state.on} onChange={checked('on')} />
      <Checkbox label="Agree" checked={state.agreed} onChange={checked('agreed')} />
      <SegmentedControl data={['list', 'board']} value={state.view} onChange={set('view')} />
      <Slider thumbLabel="Volume" value={state.volume} onChange={set('volume')} />
      <Tabs value={state.tab} onChange={set('tab')}>
        <Tabs.List>
          <Tabs.Tab value="one">One</Tabs.Tab>
          <Tabs.Tab value="two">Two</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      <Menu>
        <Menu.Target>
          <Button>Menu</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => set('picked')('cut')}>Cut</Menu.Item>
          <Menu.Item onClick={() => set('picked')('copy')}>Copy</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Button onClick={() => set('open')(true)}>Open dialog</Button>
      <Modal opened={state.open} onClose={() => set('open')(false)} title="Sure?">
        <Button onClick={() => setState((now) => ({ ...now, open: false, confirmed: true }))}>
          Yes, do it
        </Button>
      </Modal>
    </MantineProvider>
  )
}
createRoot(document.querySelector('#app')).render(<App />)
