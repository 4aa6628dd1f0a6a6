import {
  Accordion,
  ContextMenu,
  HoverCard,
  Menubar,
  NavigationMenu,
  Popover,
  ScrollArea,
  Toast,
  ToggleGroup,
  Tooltip,
  unstable_OneTimePasswordField as OneTimePasswordField,
} from 'radix-ui'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'

function Context({ onPick }) {
  return (
    <ContextMenu.Root>
      <ContextMenu.Trigger asChild>
        <div style={{ padding: 20, background: '#eee' }}>report.pdf</div>
      </ContextMenu.Trigger>
      <ContextMenu.Portal>
        <ContextMenu.Content style={{ background: 'white' }}>
          <ContextMenu.Item onSelect={() => onPick('rename')}>Rename</ContextMenu.Item>
          <ContextMenu.CheckboxItem onCheckedChange={() => onPick('starred')}>
            Starred
          </ContextMenu.CheckboxItem>
          <ContextMenu.Sub>
            <ContextMenu.SubTrigger>Move to</ContextMenu.SubTrigger>
            <ContextMenu.Portal>
              <ContextMenu.SubContent style={{ background: 'white' }}>
                <ContextMenu.Item onSelect={() => onPick('archive')}>Archive</ContextMenu.Item>
              </ContextMenu.SubContent>
            </ContextMenu.Portal>
          </ContextMenu.Sub>
        </ContextMenu.Content>
      </ContextMenu.Portal>
    </ContextMenu.Root>
  )
}

function Bar({ onPick }) {
  return (
    <Menubar.Root>
      {['File', 'Edit'].map((menu) => (
        <Menubar.Menu key={menu}>
          <Menubar.Trigger>{menu}</Menubar.Trigger>
          <Menubar.Portal>
            <Menubar.Content style={{ background: 'white' }}>
              {[`New ${menu}`, `Close ${menu}`].map((item) => (
                <Menubar.Item key={item} onSelect={() => onPick(item)}>
                  {item}
                </Menubar.Item>
              ))}
            </Menubar.Content>
          </Menubar.Portal>
        </Menubar.Menu>
      ))}
    </Menubar.Root>
  )
}

function Site({ onPick }) {
  return (
    <NavigationMenu.Root>
      <NavigationMenu.List style={{ display: 'flex', listStyle: 'none' }}>
        <NavigationMenu.Item>
          <NavigationMenu.Trigger>Products</NavigationMenu.Trigger>
          <NavigationMenu.Content>
            <NavigationMenu.Link asChild>
              <a
                href="#shoes"
                onClick={(event) => {
                  event.preventDefault()
                  onPick('shoes')
                }}
              >
                Shoes
              </a>
            </NavigationMenu.Link>
          </NavigationMenu.Content>
        </NavigationMenu.Item>
      </NavigationMenu.List>
      <NavigationMenu.Viewport style={{ position: 'absolute', background: 'white' }} />
    </NavigationMenu.Root>
  )
}

function App() {
  const [state, setState] = useState({
    picked: '',
    section: '',
    marks: [],
    align: 'left',
    name: '',
    followed: false,
    toast: false,
    undone: false,
    code: '',
    tag: 0,
  })
  window.state = () => state
  const set = (patch) => setState((before) => ({ ...before, ...patch }))
  const pick = (picked) => set({ picked })
  return (
    <Toast.Provider>
      <Tooltip.Provider>
        <main style={{ display: 'grid', gap: 12, maxWidth: 480 }}>
          <Bar onPick={pick} />
          <Site onPick={pick} />
          <Context onPick={pick} />
          <Popover.Root>
            <Popover.Trigger>Rename list</Popover.Trigger>
            <Popover.Portal>
              <Popover.Content style={{ background: 'white' }}>
                <input
                  aria-label="New name"
                  value={state.name}
                  onChange={(event) => set({ name: event.target.value })}
                />
                <Popover.Close>Done</Popover.Close>
              </Popover.Content>
            </Popover.Portal>
          </Popover.Root>
          <Tooltip.Root>
            <Tooltip.Trigger>Save</Tooltip.Trigger>
            <Tooltip.Portal>
              <Tooltip.Content>Saves the draft</Tooltip.Content>
            </Tooltip.Portal>
          </Tooltip.Root>
          <HoverCard.Root>
            <HoverCard.Trigger href="#ada">@ada</HoverCard.Trigger>
            <HoverCard.Portal>
              <HoverCard.Content>
                <p>Ada Lovelace</p>
                <button onClick={() => set({ followed: true })}>Follow</button>
              </HoverCard.Content>
            </HoverCard.Portal>
          </HoverCard.Root>
          <Accordion.Root
            type="single"
            collapsible
            value={state.section}
            onValueChange={(section) => set({ section })}
          >
            {['Shipping', 'Returns'].map((section) => (
              <Accordion.Item key={section} value={section}>
                <Accordion.Header>
                  <Accordion.Trigger>{section}</Accordion.Trigger>
                </Accordion.Header>
                <Accordion.Content>All about {section}</Accordion.Content>
              </Accordion.Item>
            ))}
          </Accordion.Root>
          <ToggleGroup.Root
            type="multiple"
            aria-label="Marks"
            value={state.marks}
            onValueChange={(marks) => set({ marks })}
          >
            <ToggleGroup.Item value="bold">Bold</ToggleGroup.Item>
            <ToggleGroup.Item value="italic">Italic</ToggleGroup.Item>
          </ToggleGroup.Root>
          <ToggleGroup.Root
            type="single"
            aria-label="Align"
            value={state.align}
            onValueChange={(align) => set({ align })}
          >
            <ToggleGroup.Item value="left">Left</ToggleGroup.Item>
            <ToggleGroup.Item value="right">Right</ToggleGroup.Item>
          </ToggleGroup.Root>
          <ScrollArea.Root style={{ width: 200, height: 100, overflow: 'hidden' }}>
            <ScrollArea.Viewport style={{ width: '100%', height: '100%' }}>
              {Array.from({ length: 50 }, (_, index) => (
                <div key={index}>
                  <button onClick={() => set({ tag: index })}>Tag {index}</button>
                </div>
              ))}
            </ScrollArea.Viewport>
            <ScrollArea.Scrollbar orientation="vertical">
              <ScrollArea.Thumb />
            </ScrollArea.Scrollbar>
          </ScrollArea.Root>
          <OneTimePasswordField.Root onValueChange={(code) => set({ code })}>
            {Array.from({ length: 4 }, (_, index) => (
              <OneTimePasswordField.Input key={index} style={{ width: 20 }} />
            ))}
            <OneTimePasswordField.HiddenInput />
          </OneTimePasswordField.Root>
          <button onClick={() => set({ toast: true })}>Archive mail</button>
        </main>
      </Tooltip.Provider>
      <Toast.Root open={state.toast} onOpenChange={(toast) => set({ toast })}>
        <Toast.Title>Mail archived</Toast.Title>
        <Toast.Action altText="Undo in the menu" onClick={() => set({ undone: true })}>
          Undo
        </Toast.Action>
      </Toast.Root>
      <Toast.Viewport style={{ position: 'fixed', right: 0, bottom: 0 }} />
    </Toast.Provider>
  )
}

createRoot(document.querySelector('#app')).render(<App />)
