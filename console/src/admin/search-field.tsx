import { useEffect, useRef } from 'preact/hooks';
import { currentRoute, navigate } from '../route.ts';
import { Icon } from '../ui/icon.tsx';

/** Looks for an id, a hash or a name, from every page. The key `/` goes to the field. */
export function SearchField() {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const { path, query } = currentRoute.value;
  const shown = path[0] === 'search' ? (query.get('q') ?? '') : '';
  return (
    <search>
      <form
        key={shown}
        class="find"
        onSubmit={(event) => {
          event.preventDefault();
          const text = field.current?.value.trim();
          if (text) navigate('search', { q: text });
        }}
      >
        <Icon name="search" />
        <input
          ref={field}
          type="search"
          name="q"
          aria-label="Search"
          aria-keyshortcuts="/"
          placeholder="Search ( / )"
          title="An id, a hash or a name"
          defaultValue={shown}
          maxLength={200}
        />
      </form>
    </search>
  );
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, select, textarea, dialog') !== null;
