import {
  Accordion,
  Button,
  ChakraProvider,
  Checkbox,
  CloseButton,
  Combobox,
  DatePicker,
  Dialog,
  Field,
  Input,
  Menu,
  NumberInput,
  Portal,
  RadioGroup,
  Select,
  Slider,
  Switch,
  Table,
  Tabs,
  Toast,
  Toaster,
  createListCollection,
  createToaster,
  defaultSystem,
  parseDate,
  useListCollection,
} from '@chakra-ui/react'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'

const CITIES = ['Bern', 'Lisbon', 'Oslo', 'Porto', 'Rome']
const fruits = createListCollection({
  items: ['Apple', 'Banana', 'Cherry'].map((label) => ({ label, value: label.toLowerCase() })),
})
const toaster = createToaster({ placement: 'bottom-end' })

const state = {
  name: '',
  fruit: [],
  city: [],
  day: [],
  guests: '1',
  on: false,
  agreed: false,
  size: null,
  volume: [10],
  tab: 'one',
  open: false,
  confirmed: false,
  picked: '',
  people: ['Ada', 'Grace', 'Linus'],
  undone: false,
}
window.state = () => JSON.parse(JSON.stringify(state))

function App() {
  const [, redraw] = useState(0)
  const set = (patch) => {
    Object.assign(state, patch)
    redraw((count) => count + 1)
  }
  return (
    <ChakraProvider value={defaultSystem}>
      <Field.Root>
        <Field.Label>Name</Field.Label>
        <Input value={state.name} onChange={(event) => set({ name: event.target.value })} />
      </Field.Root>
      <Choices set={set} />
      <Day set={set} />
      <Controls set={set} />
      <People set={set} />
      <Confirmation set={set} />
      <Toaster toaster={toaster}>
        {(toast) => (
          <Toast.Root width="sm">
            <Toast.Title>{toast.title}</Toast.Title>
            {toast.action && <Toast.ActionTrigger>{toast.action.label}</Toast.ActionTrigger>}
            <Toast.CloseTrigger />
          </Toast.Root>
        )}
      </Toaster>
    </ChakraProvider>
  )
}

function Choices({ set }) {
  const { collection, filter } = useListCollection({
    initialItems: CITIES,
    filter: (text, query) => text.toLowerCase().includes(query.toLowerCase()),
  })
  return (
    <>
      <Select.Root
        collection={fruits}
        value={state.fruit}
        onValueChange={({ value }) => set({ fruit: value })}
      >
        <Select.HiddenSelect />
        <Select.Label>Fruit</Select.Label>
        <Select.Control>
          <Select.Trigger>
            <Select.ValueText placeholder="Choose one" />
          </Select.Trigger>
        </Select.Control>
        <Portal>
          <Select.Positioner>
            <Select.Content>
              {fruits.items.map((item) => (
                <Select.Item item={item} key={item.value}>
                  {item.label}
                  <Select.ItemIndicator />
                </Select.Item>
              ))}
            </Select.Content>
          </Select.Positioner>
        </Portal>
      </Select.Root>
      <Combobox.Root
        collection={collection}
        value={state.city}
        onValueChange={({ value }) => set({ city: value })}
        onInputValueChange={({ inputValue }) => filter(inputValue)}
      >
        <Combobox.Label>City</Combobox.Label>
        <Combobox.Control>
          <Combobox.Input />
          <Combobox.Trigger />
        </Combobox.Control>
        <Portal>
          <Combobox.Positioner>
            <Combobox.Content>
              {collection.items.map((item) => (
                <Combobox.Item item={item} key={item}>
                  {item}
                </Combobox.Item>
              ))}
            </Combobox.Content>
          </Combobox.Positioner>
        </Portal>
      </Combobox.Root>
    </>
  )
}

function Day({ set }) {
  return (
    <DatePicker.Root
      locale="en-US"
      timeZone="UTC"
      value={state.day}
      defaultFocusedValue={parseDate('2026-03-01')}
      onValueChange={({ value }) => set({ day: value })}
    >
      <DatePicker.Label>Day</DatePicker.Label>
      <DatePicker.Control>
        <DatePicker.Input />
        <DatePicker.Trigger aria-label="Open calendar">…</DatePicker.Trigger>
      </DatePicker.Control>
      <Portal>
        <DatePicker.Positioner>
          <DatePicker.Content>
            <DatePicker.View view="day">
              <DatePicker.Header />
              <DatePicker.DayTable />
            </DatePicker.View>
          </DatePicker.Content>
        </DatePicker.Positioner>
      </Portal>
    </DatePicker.Root>
  )
}

function Controls({ set }) {
  return (
    <>
      <NumberInput.Root value={state.guests} onValueChange={({ value }) => set({ guests: value })}>
        <NumberInput.Label>Guests</NumberInput.Label>
        <NumberInput.Control />
        <NumberInput.Input />
      </NumberInput.Root>
      <Switch.Root checked={state.on} onCheckedChange={({ checked }) => set({ on: checked })}>
        <Switch.HiddenInput />
        <Switch.Control />
        <Switch.Label>Wifi</Switch.Label>
      </Switch.Root>
      <Checkbox.Root
        checked={state.agreed}
        onCheckedChange={({ checked }) => set({ agreed: checked })}
      >
        <Checkbox.HiddenInput />
        <Checkbox.Control />
        <Checkbox.Label>Agree</Checkbox.Label>
      </Checkbox.Root>
      <RadioGroup.Root value={state.size} onValueChange={({ value }) => set({ size: value })}>
        {['Small', 'Large'].map((size) => (
          <RadioGroup.Item key={size} value={size}>
            <RadioGroup.ItemHiddenInput />
            <RadioGroup.ItemIndicator />
            <RadioGroup.ItemText>{size}</RadioGroup.ItemText>
          </RadioGroup.Item>
        ))}
      </RadioGroup.Root>
      <Slider.Root value={state.volume} onValueChange={({ value }) => set({ volume: value })}>
        <Slider.Label>Volume</Slider.Label>
        <Slider.Control>
          <Slider.Track>
            <Slider.Range />
          </Slider.Track>
          <Slider.Thumbs />
        </Slider.Control>
      </Slider.Root>
      <Tabs.Root value={state.tab} onValueChange={({ value }) => set({ tab: value })}>
        <Tabs.List>
          <Tabs.Trigger value="one">One</Tabs.Trigger>
          <Tabs.Trigger value="two">Two</Tabs.Trigger>
        </Tabs.List>
      </Tabs.Root>
      <Accordion.Root collapsible>
        <Accordion.Item value="shipping">
          <Accordion.ItemTrigger>Shipping</Accordion.ItemTrigger>
          <Accordion.ItemContent>
            <Button onClick={() => set({ picked: 'shipped' })}>Ship it</Button>
          </Accordion.ItemContent>
        </Accordion.Item>
      </Accordion.Root>
    </>
  )
}

function People({ set }) {
  const remove = (name) => {
    set({ people: state.people.filter((one) => one !== name) })
    const undo = () => set({ people: [...state.people, name], undone: true })
    toaster.create({
      title: `${name} is removed`,
      action: { label: 'Undo', onClick: undo },
      duration: Infinity,
    })
  }
  return (
    <Table.Root>
      <Table.Header>
        <Table.Row>
          <Table.ColumnHeader>Person</Table.ColumnHeader>
          <Table.ColumnHeader>Actions</Table.ColumnHeader>
        </Table.Row>
      </Table.Header>
      <Table.Body>
        {state.people.map((name) => (
          <Table.Row key={name}>
            <Table.Cell>{name}</Table.Cell>
            <Table.Cell>
              <RowMenu name={name} onRemove={() => remove(name)} set={set} />
            </Table.Cell>
          </Table.Row>
        ))}
      </Table.Body>
    </Table.Root>
  )
}

function RowMenu({ name, onRemove, set }) {
  return (
    <Menu.Root>
      <Menu.Trigger asChild>
        <Button>More</Button>
      </Menu.Trigger>
      <Portal>
        <Menu.Positioner>
          <Menu.Content>
            <Menu.Item value="edit" onClick={() => set({ picked: `edit ${name}` })}>
              Edit
            </Menu.Item>
            <Menu.Item value="remove" onClick={onRemove}>
              Remove
            </Menu.Item>
          </Menu.Content>
        </Menu.Positioner>
      </Portal>
    </Menu.Root>
  )
}

function Confirmation({ set }) {
  return (
    <Dialog.Root open={state.open} onOpenChange={({ open }) => set({ open })}>
      <Dialog.Trigger asChild>
        <Button>Open dialog</Button>
      </Dialog.Trigger>
      <Portal>
        <Dialog.Backdrop />
        <Dialog.Positioner>
          <Dialog.Content>
            <Dialog.Header>
              <Dialog.Title>Sure?</Dialog.Title>
            </Dialog.Header>
            <Dialog.Footer>
              <Button onClick={() => set({ open: false, confirmed: true })}>Yes, do it</Button>
            </Dialog.Footer>
            <Dialog.CloseTrigger asChild>
              <CloseButton />
            </Dialog.CloseTrigger>
          </Dialog.Content>
        </Dialog.Positioner>
      </Portal>
    </Dialog.Root>
  )
}

createRoot(document.querySelector('#app')).render(<App />)
