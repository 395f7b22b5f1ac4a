/* cdb-desktop.exe and cdb-server.exe: load the Python in their folder and run a package in this process.

   The task manager, the taskbar and the installer then see the program rather than pythonw.exe, and ending it ends
   all of it. windows.py writes values.h, and defines WINDOWED for the program without a console. Only Py_Main is
   called, which is part of Python's stable ABI. */

#include <windows.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#include "values.h"

#define WIDE_(text) L##text
#define WIDE(text) WIDE_(text)

typedef int (*PyMain)(int, wchar_t **);

/* Programs that this one starts run with the interpreter; Python would start this program again. */
static const wchar_t START[] =
    L"import os, sys; sys.argv[0] = sys.executable; "
    L"sys.executable = sys._base_executable = os.path.join(os.path.dirname(sys.executable), '" WIDE(PYTHON_EXE) L"'); "
    L"from " WIDE(PACKAGE) L".__main__ import main; sys.exit(main())";

static void fail(void)
{
    BOOL german = PRIMARYLANGID(GetUserDefaultUILanguage()) == LANG_GERMAN;
    const wchar_t *text = german ? L"Die Installation ist unvollst\u00e4ndig: " WIDE(PYTHON_DLL)
                                       L" kann nicht geladen werden. Bitte installieren Sie das Programm neu."
                                 : L"The installation is incomplete: " WIDE(PYTHON_DLL)
                                       L" cannot be loaded. Please install the program again.";
#ifdef WINDOWED
    MessageBoxW(NULL, text, WIDE(PROGRAM), MB_OK | MB_ICONERROR);
#else
    fwprintf(stderr, L"%ls: %ls\n", WIDE(PROGRAM), text);
#endif
}

#ifdef WINDOWED
/* A program without a console prints into the one that it was started from, if it does nothing but print. It leaves
   it alone otherwise: closing the console would end the program. */
static void use_console_to_print(int count, wchar_t **arguments)
{
    static const DWORD names[] = {STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
    BOOL prints = FALSE, attached = FALSE;
    for (int i = 1; i < count; i++)
        prints |= !wcscmp(arguments[i], L"--version") || !wcscmp(arguments[i], L"--help")
                  || !wcscmp(arguments[i], L"-h") || !wcscmp(arguments[i], L"--smoke");
    for (int i = 0; prints && i < 2; i++) {
        HANDLE handle = GetStdHandle(names[i]);
        if (handle != NULL && handle != INVALID_HANDLE_VALUE && GetFileType(handle) != FILE_TYPE_UNKNOWN)
            continue;
        attached = attached || AttachConsole(ATTACH_PARENT_PROCESS);
        if (!attached)
            return;
        handle = CreateFileW(L"CONOUT$", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL,
                             OPEN_EXISTING, 0, NULL);
        if (handle != INVALID_HANDLE_VALUE)
            SetStdHandle(names[i], handle);
    }
}
#endif

static int run(int count, wchar_t **arguments)
{
    static wchar_t path[32768];
    DWORD length = GetModuleFileNameW(NULL, path, 32768);
    wchar_t **passed = calloc(count + 5, sizeof *passed);
    if (length == 0 || length >= 32768 || passed == NULL)
        return 3;
#ifdef WINDOWED
    use_console_to_print(count, arguments);
#endif
    /* Nowhere but in the folder of this program. */
    HMODULE python = LoadLibraryExW(WIDE(PYTHON_DLL), NULL, LOAD_LIBRARY_SEARCH_APPLICATION_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32);
    PyMain py_main = python == NULL ? NULL : (PyMain)(void (*)(void))GetProcAddress(python, "Py_Main");
    if (py_main == NULL) {
        fail();
        return 3;
    }
    int last = 0;
    passed[last++] = path;
    passed[last++] = L"-X";
    passed[last++] = L"utf8";
    passed[last++] = L"-c";
    passed[last++] = (wchar_t *)START;
    for (int i = 1; i < count; i++)
        passed[last++] = arguments[i];
    return py_main(last, passed);
}

#ifdef WINDOWED
int WINAPI wWinMain(HINSTANCE instance, HINSTANCE previous, LPWSTR line, int show)
{
    (void)instance, (void)previous, (void)line, (void)show;
    int count = 0;
    wchar_t **arguments = CommandLineToArgvW(GetCommandLineW(), &count);
    return arguments == NULL ? 3 : run(count, arguments);
}
#else
int wmain(int count, wchar_t **arguments)
{
    return run(count, arguments);
}
#endif
