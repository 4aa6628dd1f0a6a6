import {
  Checkbox,
  Dialog,
  DropdownMenu as Menu,
  RadioGroup as Radio,
  Select,
  Slider,
  Switch,
  Tabs,
} from 'radix-ui'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'

function App() {
  const [state, setState] = useState({
    on: false,
    ok: false,
    size: '',
    volume: [5],
    fruit: '',
    tab: 'a',
    picked: '',
    open: false,
  })
  window.state = () => state
  const set = (patch) => setState((before) => ({ ...before, ...patch }))
  return (
    <main>
      <Switch.Root
        aria-label="Wifi"
        checked={state.on}
        onCheckedChange={(on) => set({ on })}
        style={{ width: 40, height: 20 }}
      >
        <Switch.Thumb />
      </Switch.Root>
      <Checkbox.Root
        aria-label="Agree"
        checked={state.ok}
        onCheckedChange={(ok) => set({ ok })}
        style={{ width: 20, height: 20 }}
      >
        <Checkbox.Indicator>✓</Checkbox.Indicator>
      </Checkbox.Root>
      <Radio.Root aria-label="Size" value={state.size} onValueChange={(size) => set({ size })}>
        <Radio.Item value="s" aria-label="Small" style={{ width: 20, height: 20 }} />
        <Radio.Item value="l" aria-label="Large" style={{ width: 20, height: 20 }} />
      </Radio.Root>
      <Slider.Root
        value={state.volume}
        max={10}
        onValueChange={(volume) => set({ volume })}
        style={{ position: 'relative', display: 'block', width: 200, height: 20 }}
      >
        <Slider.Track>
          <Slider.Range />
        </Slider.Track>
        <Slider.Thumb
          aria-label="Volume"
          style={{ display: 'block', width: 16, height: 16, background: 'gray' }}
        />
      </Slider.Root>
      <Select.Root value={state.fruit} onValueChange={(fruit) => set({ fruit })}>
        <Select.Trigger aria-label="Fruit">
          <Select.Value placeholder="Pick" />
        </Select.Trigger>
        <Select.Portal>
          <Select.Content>
            <Select.Viewport>
              {['Apple', 'Banana', 'Cherry'].map((fruit) => (
                <Select.Item key={fruit} value={fruit}>
                  <Select.ItemText>{fruit}</Select.ItemText>
                </Select.Item>
              ))}
            </Select.Viewport>
          </Select.Content>
        </Select.Portal>
      </Select.Root>
      <Menu.Root>
        <Menu.Trigger>Actions</Menu.Trigger>
        <Menu.Portal>
          <Menu.Content>
            <Menu.Item onSelect={() => set({ picked: 'edit' })}>Edit</Menu.Item>
            <Menu.Sub>
              <Menu.SubTrigger>Share</Menu.SubTrigger>
              <Menu.Portal>
                <Menu.SubContent>
                  <Menu.Item onSelect={() => set({ picked: 'mail' })}>By mail</Menu.Item>
                </Menu.SubContent>
              </Menu.Portal>
            </Menu.Sub>
          </Menu.Content>
        </Menu.Portal>
      </Menu.Root>
      <Tabs.Root value={state.tab} onValueChange={(tab) => set({ tab })}>
        <Tabs.List>
          <Tabs.Trigger value="a">First</Tabs.Trigger>
          <Tabs.Trigger value="b">Second</Tabs.Trigger>
        </Tabs.List>
        <Tabs.Content value="a">One</Tabs.Content>
        <Tabs.Content value="b">Two</Tabs.Content>
      </Tabs.Root>
      <Dialog.Root open={state.open} onOpenChange={(open) => set({ open })}>
        <Dialog.Trigger>Delete</Dialog.Trigger>
        <Dialog.Portal>
          <Dialog.Overlay style={{ position: 'fixed', inset: 0 }} />
          <Dialog.Content style={{ position: 'fixed', top: 50 }}>
            <Dialog.Title>Sure?</Dialog.Title>
            <Dialog.Description>It is gone then.</Dialog.Description>
            <Dialog.Close onClick={() => set({ picked: 'deleted' })}>Yes</Dialog.Close>
          </Dialog.Content>
        </Dialog.Portal>
      </Dialog.Root>
    </main>
  )
}

createRoot(document.querySelector('#app')).render(<App />)
